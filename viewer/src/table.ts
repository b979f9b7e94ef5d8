// Tables that a narrow window can show: their rows become blocks, every cell under the name of its column.

import { element } from "./format";

export interface Column {
  head: string;
  /** Figures stand at the right, digit under digit. */
  figures?: boolean;
}

/** `narrow`: "stack" turns rows into blocks where the window is narrow, "keep" leaves short cells side by side. */
export function table(label: string, columns: Column[], rows: (Node | string)[][], narrow: "stack" | "keep"): HTMLElement {
  const kind = (column: number): Record<string, string> => (columns[column].figures ? { class: "figures" } : {});
  const head = element("tr", {}, ...columns.map((column, i) => (column.head === "" ? element("td") : element("th", { scope: "col", ...kind(i) }, column.head))));
  const body = rows.map((cells) => {
    const made = cells.map((cell, i) =>
      i === 0 ? element("th", { scope: "row" }, cell) : element("td", { "data-head": columns[i].head, ...kind(i) }, cell),
    );
    return element("tr", {}, ...made);
  });
  const made = element("table", { class: narrow }, element("thead", {}, head), element("tbody", {}, ...body));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, made);
}
