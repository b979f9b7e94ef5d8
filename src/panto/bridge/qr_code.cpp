#include "panto/bridge/qr_code.hpp"

#ifdef PANTO_QR
#include <qrencode.h>

#include <memory>
#endif

namespace panto::bridge {

#ifndef PANTO_QR

std::string qr_code(const std::string&) { return {}; }

#else

std::string qr_code(const std::string& text) {
  constexpr int kBorder = 2;  // modules; the standard has 4, and a terminal adds its own margin
  struct Free {
    void operator()(QRcode* code) const { QRcode_free(code); }
  };
  const std::unique_ptr<QRcode, Free> code(QRcode_encodeString(text.c_str(), 0, QR_ECLEVEL_L, QR_MODE_8, 1));
  if (!code) return {};
  const auto dark = [&](int row, int column) {
    const bool inside = row >= 0 && column >= 0 && row < code->width && column < code->width;
    return inside && (code->data[row * code->width + column] & 1) != 0;
  };
  std::string lines;
  for (int row = -kBorder; row < code->width + kBorder; row += 2) {
    lines += "\033[47;30m";
    for (int column = -kBorder; column < code->width + kBorder; ++column) {
      const bool upper = dark(row, column), lower = dark(row + 1, column);
      lines += upper && lower ? "\u2588" : upper ? "\u2580" : lower ? "\u2584" : " ";
    }
    lines += "\033[0m\n";
  }
  return lines;
}

#endif

}  // namespace panto::bridge
