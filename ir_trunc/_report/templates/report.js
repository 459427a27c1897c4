(() => {
  const table = document.getElementById("topics-table");
  if (!table) return;
  document.documentElement.classList.add("js");
  const groups = () => Array.from(table.tBodies);
  const cell = (group, at) => group.rows[0].cells[at].dataset.v ?? group.rows[0].cells[at].textContent;
  const numeric = /^-?\d+(\.\d+)?$/;
  const words = new Intl.Collator(undefined, {numeric: true});
  const compare = (a, b) => (numeric.test(a) && numeric.test(b) ? a - b : words.compare(a, b));
  Array.from(table.tHead.rows[0].cells).forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      table.append(...groups().sort((a, b) => sign * compare(cell(a, at), cell(b, at))));
    });
  });
  for (const link of table.querySelectorAll("tr.top a")) {
    link.setAttribute("role", "button");
    link.setAttribute("aria-expanded", false);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const details = link.closest("tbody").querySelector("details");
      details.open = !details.open;
      link.setAttribute("aria-expanded", details.open);
    });
  }
  const field = document.getElementById("filter");
  const nil = document.getElementById("only-nil");
  const shown = document.getElementById("shown");
  const filter = () => {
    const wanted = field.value.trim().toLowerCase();
    let count = 0;
    for (const group of groups()) {
      const fits = group.dataset.id.toLowerCase().includes(wanted) && (!nil || !nil.checked || group.dataset.nil === "1");
      group.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count} of ${groups().length} topics shown`;
  };
  field.addEventListener("input", filter);
  if (nil) nil.addEventListener("change", filter);
  filter();
  const opened = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  };
  window.addEventListener("hashchange", opened);
  opened();
})();
