/** Texts whose contrast against what is behind them is below AA (4.5). Runs in the page: it may use nothing from here. */
export function lowContrast() {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const paint = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  // WCAG 2: relative luminance and contrast ratio
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((byte) => linear(byte / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (text === "" || !element.checkVisibility() || /^(SCRIPT|NOSCRIPT|OPTION)$/.test(element.tagName)) continue;
    if (element.closest(":disabled")) continue;
    const behind = [];
    for (let up = element; up; up = up.parentElement) behind.unshift(getComputedStyle(up).backgroundColor);
    const [a, b] = [paint(behind), paint([...behind, getComputedStyle(element).color])].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.add(`${ratio.toFixed(2)}: ${element.tagName}.${element.className} "${text.slice(0, 30)}"`);
  }
  return [...found];
}
