/** What a person would trip over in the layout, in words. Runs in the page: it may use nothing from here. */
export function flaws() {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const found = [];
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  const name = (element) => `${element.tagName}.${element.className} "${element.textContent.trim().slice(0, 30)}"`;

  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth - root.clientWidth} px wider than the window`);
  for (const box of shown(".scroll")) {
    if (box.scrollWidth > box.clientWidth + 1) found.push(`a table is cut: ${box.getAttribute("aria-label")}`);
  }
  // figures are never broken into lines; cells with a button or a bar have no text of their own
  for (const cell of shown("td.figures, dd, .figure, .when, .big")) {
    if (cell.children.length > 0 && !cell.matches(".big")) continue;
    const range = document.createRange();
    range.selectNodeContents(cell);
    const tops = new Set([...range.getClientRects()].map((line) => Math.round(line.bottom / 8)));
    if (tops.size > 2) found.push(`a figure is broken into lines: ${name(cell)}`);
  }
  // WCAG 2.2, 2.5.8: at least 24 x 24 px
  for (const target of shown("button, select, summary, input, a")) {
    const { width, height } = target.getBoundingClientRect();
    if (width < 24 || height < 24) found.push(`${Math.round(width)} x ${Math.round(height)} px to hit: ${name(target)}`);
  }
  // a word of a heading or label that does not fit its box
  for (const text of shown("h1, h2, h3, dt, p, th, button, summary")) {
    if (text.closest("thead") && getComputedStyle(text.closest("thead")).position === "absolute") continue; // said by each cell instead
    if (text.scrollWidth > text.clientWidth + 1 && getComputedStyle(text).display !== "inline") found.push(`cut text: ${name(text)}`);
  }
  return found;
}
