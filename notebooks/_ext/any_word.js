// Search finds pages that have any of the words of a query: those with all of them first, then those with most.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return; // it is on the page of the search alone
  const withAll = Search.performTermsSearch;
  Search.performTermsSearch = (terms, excluded) => {
    const found = withAll(terms, excluded), pages = new Set(found.map(hit => hit[0])), some = new Map();
    for (const term of terms.size > 1 ? terms : [])
      for (const hit of withAll(new Set([term]), excluded).filter(hit => !pages.has(hit[0]))) {
        hit[4] = hit[4] / (100 * terms.size) + (some.get(hit[0])?.[4] ?? 0);
        some.set(hit[0], hit);
      }
    return [...found, ...some.values()];
  };
});
