/* Every path rounds correctly: to the nearest double, ties to the even one, as Python's `float` does. */
#include "numbers.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64, EXPONENT_DIGITS = 4, MOST_DIGITS = 19 /* that 64 bits hold */ };

static const double POWERS_OF_TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_POWERS = 22, EXACT_FIVES = 27 /* 5^27 < 2^63 */ };

/* +-digits * 10^exponent, where there are no more digits than 64 bits hold. */
typedef struct {
    bool negative;
    uint64_t digits;
    size_t count;
    int exponent;
} Decimal;

static bool is_digit(char sign)
{
    return sign >= '0' && sign <= '9';
}

/* Reads digits; false where there is none. */
static bool read_digits(const char **at, const char *end, Decimal *decimal)
{
    const char *start = *at, *next = start;
    uint64_t digits = decimal->digits;
    for (; next < end && is_digit(*next); next++)
        digits = digits * 10 + (uint64_t)(*next - '0');
    decimal->digits = digits;
    decimal->count += (size_t)(next - start);
    *at = next;
    return next > start;
}

static bool read_exponent(const char **at, const char *end, Decimal *decimal)
{
    Decimal exponent = {0};
    if (*at < end && (**at == '+' || **at == '-'))
        exponent.negative = *(*at)++ == '-';
    if (!read_digits(at, end, &exponent) || exponent.count > EXPONENT_DIGITS)
        return false;
    decimal->exponent += exponent.negative ? -(int)exponent.digits : (int)exponent.digits;
    return true;
}

static bool read_decimal(Text text, Decimal *decimal)
{
    const char *at = text.at, *end = at + text.size;
    if (at < end && (*at == '+' || *at == '-'))
        decimal->negative = *at++ == '-';
    read_digits(&at, end, decimal);
    if (at < end && *at == '.') {
        const char *point = at++;
        read_digits(&at, end, decimal);
        decimal->exponent = -(int)(at - point - 1);
    }
    if (!decimal->count)
        return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (!read_exponent(&at, end, decimal))
            return false;
    }
    return at == end;
}

#ifdef __SIZEOF_INT128__
/* digits / 10^places: at least 63 bits of the quotient, and whether anything is left; a double has fewer. */
static double divided(uint64_t digits, int places)
{
    uint64_t divisor = 1;
    for (int at = 0; at < places; at++)
        divisor *= 5;
    int zeros = __builtin_clzll(digits), of_divisor = __builtin_clzll(divisor);
    unsigned __int128 numerator = (unsigned __int128)(digits << zeros) << 63;
    divisor <<= of_divisor;
    uint64_t quotient = (uint64_t)(numerator / divisor);
    return ldexp((double)(quotient | (numerator % divisor != 0)), of_divisor - zeros - 63 - places);
}
#endif

/* By the C library, from digits without a decimal point, which looks different from country to country. */
static double by_library(Text text, int exponent)
{
    char digits[2 * LONGEST];
    size_t size = 0;
    for (size_t at = 0; at < text.size && text.at[at] != 'e' && text.at[at] != 'E'; at++)
        if (is_digit(text.at[at]))
            digits[size++] = text.at[at];
    snprintf(digits + size, sizeof digits - size, "e%d", exponent);
    return strtod(digits, NULL);
}

static double size_of(const Decimal *decimal, Text text)
{
    if (decimal->count > MOST_DIGITS)
        return by_library(text, decimal->exponent);
    if (!decimal->digits)
        return 0.0;
#if FLT_EVAL_METHOD == 0
    if (decimal->digits <= (uint64_t)1 << 53 && abs(decimal->exponent) <= EXACT_POWERS) {
        double digits = (double)decimal->digits; /* exact, as the power is: one rounding */
        return decimal->exponent < 0 ? digits / POWERS_OF_TEN[-decimal->exponent]
                                     : digits * POWERS_OF_TEN[decimal->exponent];
    }
#endif
#ifdef __SIZEOF_INT128__
    if (decimal->exponent < 0 && decimal->exponent >= -EXACT_FIVES)
        return divided(decimal->digits, -decimal->exponent);
#endif
    return by_library(text, decimal->exponent);
}

bool number_of(Text text, double *number)
{
    Decimal decimal = {0};
    if (text.size > LONGEST || !read_decimal(text, &decimal))
        return false;
    double size = size_of(&decimal, text);
    *number = decimal.negative ? -size : size;
    return isfinite(size);
}

bool whole_number_of(Text text, double *number)
{
    const char *at = text.at, *end = at + text.size;
    Decimal decimal = {0};
    if (at < end && *at == '-')
        decimal.negative = *at++ == '-';
    if (!read_digits(&at, end, &decimal) || at < end || decimal.count > MOST_DIGITS ||
        decimal.digits > INT32_MAX)
        return false;
    *number = decimal.negative ? -(double)decimal.digits : (double)decimal.digits;
    return true;
}
