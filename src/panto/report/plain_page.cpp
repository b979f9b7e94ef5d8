#include "panto/report/plain_page.hpp"

#include "panto/io/text_lines.hpp"

namespace panto {

std::string plain_page(const std::string& title, const std::string& inside, const std::string& head) {
  return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\"><link rel=\"icon\" href=\"data:,\"><title>" +
         io::xml_text(title) +
         "</title><style>:root{color-scheme:light "
         "dark;--ground:#f5f6f8;--card:#fff;--text:#17202a;--link:#0b57c2;"
         "--line:#dde2e8}@media(prefers-color-scheme:dark){:root{--ground:#0e1318;--card:#161c23;--text:#"
         "e8edf2;"
         "--link:#6db3ff;--line:#2a333d}}body{margin:0;background:var(--ground);color:var(--text);font:1rem/"
         "1.5 "
         "system-ui,sans-serif}main{max-width:60rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.3rem}"
         "li,p.card{background:var(--card);border:1px solid "
         "var(--line);border-radius:10px;padding:1rem;margin:0 0 "
         "1rem;overflow-wrap:anywhere}ul{list-style:none;padding:0}a{color:var(--link);font-weight:600}"
         "</style>" +
         head + "</head><body><main>" + inside + "</main></body></html>\n";
}

}  // namespace panto
