// The search: finds the sections that have all words of the field, and shows the best one of each page, best first. search-index.js has
// [title, heading, address, words] of each section; it is loaded when it is first needed, as a script, which works from disk.
"use strict";
const field = document.querySelector("input[type=search]"), found = document.getElementById("found"), root = field.dataset.root;

function score([title, heading, , text], words) {
  let sum = 0;
  for (const word of words) {
    const whole = new RegExp("(^|[^a-z0-9])" + word.replace(/[^\w]/g, "\\$&") + "([^a-z0-9]|$)");
    const at = [title, heading, text].map((part) => (whole.test(part.toLowerCase()) ? 2 : part.toLowerCase().includes(word) ? 1 : 0));
    if (!at[0] && !at[1] && !at[2]) return 0;
    sum += 12 * at[0] + (heading ? 8 * at[1] : 4) + at[2];
  }
  return sum + 1 / (1 + text.length / 1000);
}

function excerpt(text, word) {
  const start = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  return (start ? "... " : "") + text.slice(start, start + 160) + " ...";
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = !words.length;
  if (!words.length || !window.searchIndex) return;
  const pages = new Set(), page = ([, , address]) => address.split("#")[0];
  const best = window.searchIndex.map((entry) => [score(entry, words), entry]).filter(([s]) => s > 0)
    .sort(([a], [b]) => b - a).filter(([, entry]) => !pages.has(page(entry)) && pages.add(page(entry))).slice(0, 30);
  found.replaceChildren(...best.map(([, [title, heading, address, text]]) => {
    const item = document.createElement("p"), link = document.createElement("a");
    link.href = root + address;
    link.textContent = title + (heading ? ": " + heading : "");
    item.append(link, document.createElement("br"), excerpt(text, words[0]));
    return item;
  }));
  if (!best.length) found.textContent = "Nothing has all of these words.";
}

function load() {
  if (document.getElementById("index")) return show();
  const script = document.createElement("script");
  script.id = "index";
  script.src = root + "search-index.js";
  script.onload = show;
  document.head.append(script);
}

field.addEventListener("input", load);
field.value = new URLSearchParams(location.search).get("q") || "";
if (field.value) load();
