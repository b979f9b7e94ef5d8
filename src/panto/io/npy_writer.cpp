#include "panto/io/npy_writer.hpp"

#include <zip.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "panto/base/append_word.hpp"
#include "panto/base/error.hpp"

namespace panto::io {
namespace {

std::string array(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // NumPy pads the header so that the numbers begin at a multiple of 64
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY\x01";
  bytes += '\0';
  append_word(static_cast<std::uint16_t>(header.size()), bytes);
  return bytes + header + data;
}

// code points of UTF-8; our names are valid UTF-8, other text becomes one code per byte
std::vector<std::uint32_t> code_points(const std::string& text) {
  std::vector<std::uint32_t> codes;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80              ? 1
                               : (first & 0xe0U) == 0xc0 ? 2
                               : (first & 0xf0U) == 0xe0 ? 3
                               : (first & 0xf8U) == 0xf0 ? 4
                                                         : 1;
    std::uint32_t code = length == 1 ? first : first & (0x7fU >> length);
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
      code = code << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    codes.push_back(code);
    i += length;
  }
  return codes;
}

struct Discard {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
};
struct FreeSource {
  void operator()(zip_source_t* source) const noexcept { zip_source_free(source); }
};

}  // namespace

std::string npy(const std::vector<double>& numbers, const std::string& shape) {
  std::string data;
  data.reserve(8 * numbers.size());
  for (const double number : numbers) append_word(std::bit_cast<std::uint64_t>(number), data);
  return array("<f8", shape, data);
}

std::string npy(const std::vector<float>& numbers, const std::string& shape) {
  std::string data;
  data.reserve(4 * numbers.size());
  for (const float number : numbers) append_word(std::bit_cast<std::uint32_t>(number), data);
  return array("<f4", shape, data);
}

std::string npy(const std::vector<std::int64_t>& numbers, const std::string& shape) {
  std::string data;
  data.reserve(8 * numbers.size());
  for (const std::int64_t number : numbers) append_word(static_cast<std::uint64_t>(number), data);
  return array("<i8", shape, data);
}

std::string npy(const std::vector<unsigned char>& flags, const std::string& shape) {
  return array("|b1", shape, {flags.begin(), flags.end()});
}

std::string npy(const std::vector<std::string>& names, const std::string& shape) {
  std::vector<std::vector<std::uint32_t>> codes;
  std::size_t longest = 1;
  for (const std::string& name : names) {
    codes.push_back(code_points(name));
    longest = std::max(longest, codes.back().size());
  }
  std::string data;
  for (auto& name : codes) {
    name.resize(longest, 0);
    for (const std::uint32_t code : name) append_word(code, data);
  }
  return array("<U" + std::to_string(longest), shape, data);
}

// Builds the zip archive in memory, so that PartFile writes it like every other file.
std::string pack_npz(const std::vector<std::pair<std::string, std::string>>& members) {
  zip_error_t error;
  zip_error_init(&error);
  const auto fail = [&](const std::string& reason) -> Error {
    return Error("cannot pack the .npz file: " + reason);
  };
  const std::unique_ptr<zip_source_t, FreeSource> buffer(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!buffer) throw fail(zip_error_strerror(&error));
  zip_source_keep(buffer.get());  // the archive frees its own reference
  std::unique_ptr<zip_t, Discard> archive(zip_open_from_source(buffer.get(), ZIP_TRUNCATE, &error));
  if (!archive) {
    zip_source_free(buffer.get());
    throw fail(zip_error_strerror(&error));
  }
  for (const auto& [name, content] : members) {
    zip_source_t* const source = zip_source_buffer(archive.get(), content.data(), content.size(), 0);
    const zip_int64_t index =
        source == nullptr ? -1 : zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      if (source != nullptr) zip_source_free(source);
      throw fail(zip_strerror(archive.get()));
    }
    // a fixed date (1 January 1980), so that the same content gives the same bytes
    (void)zip_file_set_dostime(archive.get(), static_cast<zip_uint64_t>(index), 0, 0x21, 0);
    // deflate makes numbers 6 % smaller, for a tenth of the time from file to file
    (void)zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  }
  if (zip_close(archive.get()) != 0) throw fail(zip_strerror(archive.get()));
  (void)archive.release();

  std::string bytes;
  if (zip_source_open(buffer.get()) != 0) throw fail(zip_error_strerror(zip_source_error(buffer.get())));
  std::array<char, 65536> block;
  for (;;) {
    const zip_int64_t got = zip_source_read(buffer.get(), block.data(), block.size());
    if (got < 0) throw fail(zip_error_strerror(zip_source_error(buffer.get())));
    if (got == 0) break;
    bytes.append(block.data(), static_cast<std::size_t>(got));
  }
  (void)zip_source_close(buffer.get());
  return bytes;
}

}  // namespace panto::io
