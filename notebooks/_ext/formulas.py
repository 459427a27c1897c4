"""Formulas of the reference as MathML, which browsers typeset by themselves: no script, no network."""

import html
import re

TOKEN = re.compile(
    r"\.\.\.|<=|>=|\d+(?:\.\d+)?|max_rel|half_life|[A-Za-z][A-Za-z0-9]*(?:@k)?'?|\s+|\S", re.ASCII
)
GREEK = {"alpha": "α", "beta": "β", "gamma": "γ"}
SHORT = {"tp", "fp", "fn", "cg", "cig", "cg'", "cig'"}
FUNCTIONS = {"exp", "max", "min", "cov"}
SIGNS = {"<=": "≤", ">=": "≥", "-": "−", "...": "⋯"}
BIG = {"sum": "∑", "prod": "∏"}
CLOSING = {"(": ")", "{": "}", "[": "]"}


def mathml(formula):
    """A formula as it is written in the declarations of measures, as an element of its own."""
    rows = ["".join(Parser(line).row()) for line in re.split(r"\n|; ", formula)]
    return "".join(f'<math display="block"><mrow>{row}</mrow></math>' for row in rows)


class Parser:
    """Reads a line from left to right; a fraction has the factors beside its stroke, as in products."""

    def __init__(self, line):
        self.tokens, self.at = TOKEN.findall(line), 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def row(self, closing=""):
        """Elements up to the closing bracket."""
        parts, stands_alone, term = [], False, 0  # whether the last part can be a numerator; the term's begin
        while self.peek() and self.peek() != closing:
            if self.peek() == "/" and stands_alone:
                self.take()
                self.blank()
                if self.peek() in BIG:  # a sum divides the whole term
                    below = []
                    while self.peek() not in ("", closing, ",", "+", "-"):
                        below += [] if self.blank() else [self.factor()[0]]
                    parts[term:] = [
                        f"<mfrac><mrow>{''.join(parts[term:])}</mrow><mrow>{''.join(below)}</mrow></mfrac>"
                    ]
                    continue
                above = parts.pop()
                parts.append(f"<mfrac>{bare(above)}{bare(self.factor()[0])}</mfrac>")
            elif self.blank():
                continue
            else:
                part, stands_alone = self.factor()
                parts.append(part)
                term = term if stands_alone or ">∑<" in part else len(parts)
        return parts

    def blank(self):
        """Skip blanks; whether there were any."""
        found = self.peek().isspace()
        self.at += found
        return found

    def factor(self):
        """The next element with its scripts, and whether it is a factor rather than a sign."""
        token = self.take()
        if token in CLOSING:
            base = self.bracket(token)
        elif token in BIG and (self.peek() == "_" or self.tokens[self.at + 1 : self.at + 2] == ["over"]):
            base = f"<mo>{BIG[token]}</mo>"
        elif token[0].isdigit():
            base = f"<mn>{token}</mn>"
        elif token == "log2":
            base = "<msub><mi>log</mi><mn>2</mn></msub>"
        elif token == "sqrt" and self.peek() == "(":
            return f"<msqrt>{bare(self.factor()[0])}</msqrt>", True
        elif token in GREEK or token in SHORT or (re.fullmatch("[A-Za-z]'?", token) and token != "a"):
            base = f"<mi>{GREEK.get(token, token)}</mi>"
        elif token[0].isalpha():
            if token not in FUNCTIONS and self.peek() not in tuple("_^(/"):
                return f"<mtext>{self.words(token)}</mtext>", True
            base = f"<mi>{token}</mi>"
        else:
            return f"<mo>{html.escape(SIGNS.get(token, token))}</mo>", False
        below = above = ""
        for sign in "_^":
            if self.peek() == sign:
                self.take()
                script = bare(self.script())
                below, above = (script, above) if sign == "_" else (below, script)
        over = ("munder", "mover", "munderover") if token in BIG else ("msub", "msup", "msubsup")
        if below or above:
            name = over[2] if below and above else over[0] if below else over[1]
            base = f"<{name}>{base}{below}{above}</{name}>"
        if token[0].isalpha() and token not in BIG and self.peek() == "(":  # of a function
            base = f"<mrow>{base}{self.factor()[0]}</mrow>"
        return base, token not in BIG

    def words(self, first):
        """A word and the words behind it, with the blanks around them."""
        before = " " * self.tokens[: self.at - 1][-1:].count(" ")
        words = [first]
        while (
            self.tokens[self.at : self.at + 1] == [" "]
            and re.fullmatch("a|[A-Za-z]{2,}", "".join(self.tokens[self.at + 1 : self.at + 2]))
            and self.tokens[self.at + 1] not in {*GREEK, *SHORT, *FUNCTIONS, *BIG, "log2", "max_rel"}
            and "".join(self.tokens[self.at + 2 : self.at + 3]) not in tuple("_^(/")
        ):
            words.append(self.tokens[self.at + 1])
            self.at += 2
        return f"{before}{' '.join(words)}{' ' * (self.peek() == ' ')}".replace(" ", "&nbsp;")

    def bracket(self, opening):
        """What stands in brackets."""
        inside = "".join(self.row(CLOSING[opening]))
        self.at += 1
        return f"<mrow><mo>{opening}</mo>{inside}<mo>{CLOSING[opening]}</mo></mrow>"

    def script(self):
        """A script: i, 2, {i <= k} or (i-1)."""
        token = self.take()
        if token in CLOSING:
            return self.bracket(token)
        kind = "mn" if token.isdigit() else "mi"
        return f"<{kind}>{GREEK.get(token, token)}</{kind}>"


def bare(element):
    """An element without the brackets around it."""
    return re.sub(r"^<mrow><mo>[({]</mo>(.*)<mo>[)}]</mo></mrow>$", r"<mrow>\1</mrow>", element)


def signs(formula, meanings):
    """What the signs of a formula mean, by the glossary's table: a line of Markdown."""
    found = set(re.findall(r"[A-Za-z]\w*(?=\b|_)", formula))
    known = [(names, text) for names, text in meanings if found & set(names)]
    return " · ".join(
        f"{', '.join(f'`{name}`' for name in names if name in found)}: {text}" for names, text in known
    )
