// node search.js SITE: the first hit of the site's own search for each line of standard input.
const fs = require("fs"), vm = require("vm"), [site] = process.argv.slice(2), loaded = [];
const world = vm.createContext({
  document: { getElementById: () => ({ lastChild: null }), addEventListener(_, run) { loaded.push(run); }, readyState: "loading" },
  localStorage: { setItem() {} }, SPHINX_HIGHLIGHT_ENABLED: false, _: text => text, _ready() {}, console,
});
world.window = world;
const scripts = ["base-stemmer", "english-stemmer", "language_data", "searchtools", "../searchindex", "any_word"];
for (const path of scripts.map(name => `${site}/_static/${name}.js`))
  if (fs.existsSync(path)) vm.runInContext(fs.readFileSync(path, "utf8"), world);
loaded.forEach(run => run());
vm.runInContext("Search.first = text => Search._performSearch(...Search._parseQuery(text)).pop() || ['nothing', '', '']", world);
for (const query of fs.readFileSync(0, "utf8").trim().split("\n")) {
  const [page, , anchor] = vm.runInContext(`Search.first(${JSON.stringify(query)})`, world);
  console.log(page + anchor);
}
