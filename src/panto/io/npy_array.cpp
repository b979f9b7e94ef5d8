#include "panto/io/npy_array.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/text_lines.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kLargestHeader = 65536;

class HeaderReader {
 public:
  HeaderReader(std::string content, std::string where) {
    array_.content = std::move(content);
    array_.where = std::move(where);
  }

  NpyArray read() {
    const std::string& bytes = array_.content;
    if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0)
      fail("byte 0: does not begin with NumPy's signature");
    const int major = static_cast<unsigned char>(bytes[6]);
    if (major < 1 || major > 3) fail("byte 6: version " + std::to_string(major) + "; expected 1, 2 or 3");
    const std::size_t start = major == 1 ? 10 : 12;
    if (bytes.size() < start) fail("byte 8: the header is truncated");
    std::size_t length = 0;
    for (std::size_t i = start; i-- > 8;) length = length << 8U | static_cast<unsigned char>(bytes[i]);
    if (length > kLargestHeader || length > bytes.size() - start)
      fail("byte 8: a header of " + std::to_string(length) + " bytes, but " +
           std::to_string(bytes.size() - start) + " follow");
    header_ = std::string_view(bytes).substr(start, length);
    array_.data = start + length;
    read_dictionary();
    check_size();
    return std::move(array_);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { throw FormatError(array_.where + ": " + reason); }

  // {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
  void read_dictionary() {
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') fail("has fields (a structured array); plain numbers are needed");
        read_type(string());
        descr = true;
      } else if (key == "fortran_order") {
        array_.fortran = accept_word("True");
        if (!array_.fortran && !accept_word("False")) fail("fortran_order is neither True nor False");
        order = true;
      } else if (key == "shape") {
        read_shape();
        shape = true;
      } else {
        fail("header key " + in_quotes(key) + " is not known");
      }
      (void)accept(',');
    }
    if (!descr || !order || !shape) fail("the header lacks one of descr, fortran_order and shape");
    skip_blanks();
    if (position_ != header_.size()) fail("the header continues after its closing brace");
  }

  void read_type(std::string_view type) {
    const auto refuse = [&] {
      fail("elements of type " + in_quotes(type) +
           (type.find('O') != std::string_view::npos
                ? " are Python objects, which are never unpickled; save plain numbers or names"
                : "; expected numbers (f4, f8, integers) or names (U, S)"));
    };
    if (type.size() < 3) refuse();
    array_.big_endian = type[0] == '>';
    if (type[0] != '<' && type[0] != '>' && type[0] != '|' && type[0] != '=') refuse();
    array_.kind = type[1];
    std::size_t size = 0;
    const auto [stop, error] = std::from_chars(type.data() + 2, type.data() + type.size(), size);
    if (error != std::errc{} || stop != type.data() + type.size() || size > 65536) refuse();
    array_.item = array_.kind == 'U' ? 4 * size : size;
    const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
    const bool real = array_.kind == 'f' && (size == 4 || size == 8);
    const bool integer = (array_.kind == 'i' || array_.kind == 'u') && whole;
    if (!real && !integer && !array_.is_text() && !(array_.kind == 'b' && size == 1)) refuse();
  }

  void read_shape() {
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::size_t size = 0;
      const auto [stop, error] =
          std::from_chars(header_.data() + position_, header_.data() + header_.size(), size);
      if (error != std::errc{}) fail("the shape holds something other than whole numbers from 0");
      position_ = static_cast<std::size_t>(stop - header_.data());
      if (array_.shape.size() == 8) fail("has more than 8 dimensions");
      array_.shape.push_back(size);
      if (!accept(',') && peek() != ')') fail("the shape lacks its ')'");
    }
  }

  // the bytes must hold exactly the elements of the shape
  void check_size() {
    const std::size_t there = array_.content.size() - array_.data;
    for (const std::size_t size : array_.shape) {
      if (size != 0 && array_.count > kLargestNpy / size)
        fail("its shape needs more elements than the file has");
      array_.count *= size;
    }
    const std::size_t item = std::max<std::size_t>(array_.item, 1);
    if (array_.count > kLargestNpy / item || array_.count * array_.item != there)
      fail("byte " + std::to_string(array_.data) + ": " + std::to_string(array_.count) + " elements of " +
           std::to_string(array_.item) + " bytes, but " + std::to_string(there) + " bytes follow");
  }

  void skip_blanks() {
    while (position_ < header_.size() && (header_[position_] == ' ' || header_[position_] == '\n'))
      ++position_;
  }
  char peek() {
    skip_blanks();
    return position_ < header_.size() ? header_[position_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail("the header is not a dictionary: " + in_quotes(std::string(1, c)) + " expected at its character " +
           std::to_string(position_));
  }
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (header_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }
  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("the header is not a Python dictionary of names");
    const std::size_t begin = ++position_, end = header_.find(quote, begin);
    if (end == std::string_view::npos) fail("a name in the header is not closed");
    position_ = end + 1;
    return header_.substr(begin, end - begin);
  }

  NpyArray array_;
  std::string_view header_;
  std::size_t position_ = 0;
};

}  // namespace

NpyArray read_npy(std::string content, std::string where) {
  return HeaderReader(std::move(content), std::move(where)).read();
}

std::vector<std::size_t> npy_shape(std::string_view head) {
  constexpr std::string_view key = "'shape': (";
  std::vector<std::size_t> shape;
  const std::size_t found = head.substr(0, 512).find(key);
  if (!head.starts_with(kNpyMagic) || found == std::string_view::npos) return shape;
  head.remove_prefix(found + key.size());
  for (std::size_t length = 0;;) {
    const auto [stop, error] = std::from_chars(head.data(), head.data() + head.size(), length);
    if (error != std::errc{}) return shape;
    shape.push_back(length);
    head.remove_prefix(static_cast<std::size_t>(stop - head.data()));
    head.remove_prefix(std::min(head.find_first_not_of(", "), head.size()));
  }
}

}  // namespace panto::io
