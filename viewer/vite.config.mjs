// One HTML file: scripts and styles go into the page, so that it opens from a folder and without a network. PANTO_PAGE: which
// one; the report, index.html, without it.
import { defineConfig } from "vite";

const entry = process.env.PANTO_PAGE ?? "index.html";

/** Puts every chunk and style sheet where the page asks for it; the bundle is then the page alone. */
function inline() {
  return {
    name: "inline",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle[entry];
      for (const [name, part] of Object.entries(bundle)) {
        if (part === page) continue;
        const address = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
        const script = new RegExp(`<script[^>]*src="[^"]*${address}"[^>]*></script>`);
        const style = new RegExp(`<link[^>]*href="[^"]*${address}"[^>]*>`);
        if (part.type === "chunk") {
          const text = part.code.replace(/<\/(script)/gi, "<\\/$1");
          page.source = page.source.replace(script, "");
          // behind the data that it reads; a function, so that no "$" of the text is special
          page.source = page.source.replace("</body>", () => `<script type="module">${text}</script></body>`);
        } else {
          page.source = page.source.replace(style, () => `<style>${part.source}</style>`);
        }
        delete bundle[name];
      }
      if (/<script[^>]+src=|<link[^>]+stylesheet/.test(page.source)) throw new Error("something is not inlined");
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [inline()],
  build: {
    target: "es2021",
    outDir: process.env.PANTO_PAGE ? "dist-app" : "dist",
    rollupOptions: { input: entry },
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1 << 20,
    chunkSizeWarningLimit: 2000,
  },
  // the licences of what is bundled stand in the page's last section
  esbuild: { legalComments: "inline" },
});
