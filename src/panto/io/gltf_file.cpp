// The container, the buffers and the accessors of a glTF file. Every count and offset is checked against the
// bytes that are there.

#include "panto/io/gltf_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/base64.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {

// How a number of an accessor is stored.
struct GltfComponent {
  std::size_t type, bytes;
  double largest;  // 0: a real number
  bool negative;
};

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestJson = std::size_t{64} << 20U;    // [bytes]
constexpr std::size_t kLargestBuffers = std::size_t{1} << 30U;  // [bytes], all other files together
constexpr std::size_t kMostRead = 8;  // numbers of accessors, for each byte of the files [bytes]
constexpr int kMostLevels = 200;      // levels of JSON
constexpr std::uint32_t kJsonChunk = 0x4E4F534AU, kBinaryChunk = 0x004E4942U;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i-- > 0;) word = word << 8U | static_cast<unsigned char>(bytes[at + i]);
  return word;
}

constexpr GltfComponent kComponents[]{{5120, 1, 127.0, true},         {5121, 1, 255.0, false},
                                      {5122, 2, 32767.0, true},       {5123, 2, 65535.0, false},
                                      {5125, 4, 4294967295.0, false}, {5126, 4, 0.0, true}};

double component_at(const char* bytes, const GltfComponent& kind, bool normalised) {
  std::uint32_t word = 0;
  for (std::size_t i = kind.bytes; i-- > 0;) word = word << 8U | static_cast<unsigned char>(bytes[i]);
  if (kind.largest == 0.0) return static_cast<double>(std::bit_cast<float>(word));
  auto value = static_cast<double>(word);
  if (kind.negative && value > kind.largest) value -= 2.0 * kind.largest + 2.0;
  return normalised ? std::max(value / kind.largest, -1.0) : value;
}

std::size_t width_of(const std::string& type) {
  constexpr std::pair<std::string_view, std::size_t> types[]{
      {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
  for (const auto& [name, width] : types) {
    if (name == type) return width;
  }
  return 0;
}

// %20 and its like; anything else stays
std::string decoded(const std::string& uri) {
  std::string text;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const bool escaped =
        uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0;
    text += escaped ? static_cast<char>(16 * digit(uri[i + 1]) + digit(uri[i + 2])) : uri[i];
    if (escaped) i += 2;
  }
  return text;
}

}  // namespace

const Json* gltf_member(const Json* json, const char* key) noexcept {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto found = json->find(key);
  return found == json->end() ? nullptr : &*found;
}

std::optional<std::size_t> gltf_index(const Json* json, const char* key) noexcept {
  const Json* value = gltf_member(json, key);
  if (value == nullptr || !value->is_number_unsigned()) return {};
  return value->get<std::size_t>();
}

std::string gltf_text(const Json* json, const char* key) {
  const Json* value = gltf_member(json, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

GltfFile::GltfFile(std::string_view bytes, std::string name, std::string folder)
    : name_(std::move(name)), folder_(std::move(folder)), size_(bytes.size()) {
  if (bytes.starts_with("glTF")) {
    split_container(bytes);
  } else {
    parse(bytes);
  }
  const std::string version = gltf_text(gltf_member(&root_, "asset"), "version");
  if (!version.starts_with("2."))
    fail("asset", "the version must be 2.0, not '" + version + "'; export it again from a current program");
}

void GltfFile::fail(const std::string& where, const std::string& what) const {
  throw FormatError(name_ + ": " + where + ": " + what);
}

void GltfFile::split_container(std::string_view bytes) {
  constexpr std::size_t header = 12, chunk_header = 8;
  if (bytes.size() < header + chunk_header)
    fail("header", "the file is cut off: " + std::to_string(bytes.size()) + " of at least " +
                       std::to_string(header + chunk_header) + " bytes; copy it again");
  if (word_at(bytes, 4) != 2)
    fail("header", "version " + std::to_string(word_at(bytes, 4)) + " of glTF; only version 2 is read");
  const std::size_t declared = word_at(bytes, 8);
  if (declared > bytes.size())
    fail("header", "the file is cut off: " + std::to_string(bytes.size()) + " of " +
                       std::to_string(declared) + " bytes; copy it again");
  bytes = bytes.substr(0, declared);
  bool first = true;
  for (std::size_t at = header; at + chunk_header <= bytes.size();) {
    const std::size_t length = word_at(bytes, at), type = word_at(bytes, at + 4);
    at += chunk_header;
    if (length > bytes.size() - at) fail("byte " + std::to_string(at), "a chunk is longer than the file");
    const std::string_view chunk = bytes.substr(at, length);
    if (first != (type == kJsonChunk))
      fail("byte " + std::to_string(at), "the first chunk alone must be JSON");
    if (first) parse(chunk);
    if (type == kBinaryChunk && binary_.empty()) binary_ = chunk;
    first = false;
    at += length;
  }
  if (first) fail("header", "the file has no JSON");
}

void GltfFile::parse(std::string_view json) {
  if (json.size() > kLargestJson)
    fail("JSON", "larger than " + std::to_string(kLargestJson) + " bytes, the limit");
  if (json.starts_with("\xef\xbb\xbf")) json.remove_prefix(3);
  try {
    root_ = Json::parse(json.begin(), json.end(), [this](int depth, Json::parse_event_t, Json&) {
      if (depth > kMostLevels) fail("JSON", "nested deeper than " + std::to_string(kMostLevels));
      return true;
    });
  } catch (const Json::parse_error& error) {
    fail("JSON", "no valid JSON at byte " + std::to_string(error.byte));
  } catch (const Json::out_of_range&) {
    fail("JSON", "holds a number that is too large");
  }
  if (!root_.is_object()) fail("JSON", "must be an object");
}

std::size_t GltfFile::count(const char* list) const noexcept {
  const Json* elements = gltf_member(&root_, list);
  return elements != nullptr && elements->is_array() ? elements->size() : 0;
}

const Json& GltfFile::element(const char* list, std::size_t index) const {
  if (index >= count(list)) fail(list, "has no element " + std::to_string(index));
  return root_[list][index];
}

std::string GltfFile::load(const std::string& uri, const std::string& where) const {
  namespace fs = std::filesystem;
  if (uri.starts_with("data:")) {
    const std::size_t comma = uri.find(',');
    if (comma == std::string::npos || !uri.substr(0, comma).ends_with(";base64"))
      fail(where, "a data URI must hold base64");
    auto bytes = from_base64(std::string_view(uri).substr(comma + 1));
    if (!bytes) fail(where, "the data URI is no valid base64");
    return *std::move(bytes);
  }
  if (folder_.empty())
    fail(where, "lies in another file, '" + uri + "'; give a .glb, which holds everything");
  const fs::path path = decoded(uri), target = fs::path(folder_) / path;
  if (path.is_absolute() || uri.find(':') != std::string::npos || !lies_below(target, folder_))
    fail(where, "'" + uri + "' must be a file below the folder of this one");
  return read_text_file(target.string(), kLargestBuffers - beside_);
}

std::string_view GltfFile::buffer(std::size_t index) {
  const std::string where = "buffers[" + std::to_string(index) + "]";
  const Json& description = element("buffers", index);
  const auto length = gltf_index(&description, "byteLength");
  if (!length) fail(where, "byteLength must be a whole number");
  std::string_view bytes = binary_;
  if (const std::string uri = gltf_text(&description, "uri"); !uri.empty()) {
    if (const auto known = loaded_.find(index); known != loaded_.end()) {
      bytes = known->second;
    } else {
      bytes = loaded_.emplace(index, load(uri, where)).first->second;
      if (!uri.starts_with("data:")) {
        size_ += bytes.size();
        beside_ += bytes.size();
      }
    }
  } else if (index != 0) {
    fail(where, "has no uri");
  }
  if (*length > bytes.size())
    fail(where, "is cut off: " + std::to_string(bytes.size()) + " of " + std::to_string(*length) + " bytes");
  return bytes.substr(0, *length);
}

std::string_view GltfFile::view(std::size_t index, std::size_t& stride) {
  const std::string where = "bufferViews[" + std::to_string(index) + "]";
  const Json& description = element("bufferViews", index);
  for (const char* packed : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    if (gltf_member(gltf_member(&description, "extensions"), packed) != nullptr)
      fail(where, "is compressed (meshopt); unpack it: npx @gltf-transform/cli copy IN.glb OUT.glb");
  }
  const auto source = gltf_index(&description, "buffer"), length = gltf_index(&description, "byteLength");
  if (!source || !length) fail(where, "needs buffer and byteLength");
  const std::size_t offset = gltf_index(&description, "byteOffset").value_or(0);
  stride = gltf_index(&description, "byteStride").value_or(0);
  const std::string_view bytes = buffer(*source);
  if (offset > bytes.size() || *length > bytes.size() - offset) fail(where, "lies outside its buffer");
  return bytes.substr(offset, *length);
}

// Elements of a bufferView, checked against its bytes.
struct GltfFile::Elements {
  std::string_view bytes;
  const GltfComponent* kind;
  std::size_t width, stride;
  bool normalised;

  [[nodiscard]] double operator()(std::size_t element, std::size_t k) const {
    return component_at(bytes.data() + element * stride + k * kind->bytes, *kind, normalised);
  }
};

// `description`: an accessor, or a part of a sparse one
GltfFile::Elements GltfFile::elements(const Json& description, std::size_t count, std::size_t width,
                                      const std::string& where) {
  const auto of = gltf_index(&description, "bufferView"), type = gltf_index(&description, "componentType");
  const auto* kind = std::find_if(std::begin(kComponents), std::end(kComponents),
                                  [&](const GltfComponent& c) { return type == c.type; });
  if (!of || kind == std::end(kComponents)) fail(where, "needs count, bufferView and a known componentType");
  const Json* flag = gltf_member(&description, "normalized");
  std::size_t stride = 0;
  std::string_view bytes = view(*of, stride);
  const std::size_t offset = gltf_index(&description, "byteOffset").value_or(0), size = width * kind->bytes;
  if (stride == 0) stride = size;
  if (stride < size || stride > 252)
    fail(where, "the stride must be " + std::to_string(size) + " to 252 bytes");
  bytes.remove_prefix(std::min(offset, bytes.size()));
  if (count > 0 && (bytes.size() < size || count - 1 > (bytes.size() - size) / stride))
    fail(where, "reaches beyond its bufferView");
  return {bytes, kind, width, stride, flag != nullptr && flag->is_boolean() && flag->get<bool>()};
}

// The elements that a sparse accessor names have other values: of its own type, at increasing indices.
void GltfFile::replace_sparse(const Json& description, std::size_t width, std::size_t type,
                              const std::string& where, std::vector<double>& values) {
  const Json* sparse = gltf_member(&description, "sparse");
  const auto count = gltf_index(sparse, "count");
  const Json *indices = gltf_member(sparse, "indices"), *others = gltf_member(sparse, "values");
  if (!count || indices == nullptr || others == nullptr)
    fail(where, "sparse needs count, indices and values");
  Json typed = *others;
  typed["componentType"] = type;
  if (const Json* flag = gltf_member(&description, "normalized")) typed["normalized"] = *flag;
  const Elements which = elements(*indices, *count, 1, where), value = elements(typed, *count, width, where);
  if (which.kind->largest == 0.0 || which.kind->negative) fail(where, "sparse indices must be whole numbers");
  std::size_t next = 0;
  for (std::size_t i = 0; i < *count; ++i) {
    const auto index = static_cast<std::size_t>(which(i, 0));
    if (index < next || index >= values.size() / width)
      fail(where, "sparse index " + std::to_string(i) + " does not increase, or is beyond the elements");
    next = index + 1;
    for (std::size_t k = 0; k < width; ++k) values[index * width + k] = value(i, k);
  }
}

const std::vector<double>& GltfFile::numbers(std::size_t accessor, std::size_t width) {
  const std::string where = "accessors[" + std::to_string(accessor) + "]";
  const Json& description = element("accessors", accessor);
  if (width_of(gltf_text(&description, "type")) != width)
    fail(where, "must have elements of " + std::to_string(width) + " numbers");
  if (const auto known = numbers_.find(accessor); known != numbers_.end()) return known->second;
  const bool sparse = gltf_member(&description, "sparse") != nullptr;
  const auto count = gltf_index(&description, "count"), type = gltf_index(&description, "componentType");
  if (!count || !type) fail(where, "needs count, bufferView and a known componentType");
  std::optional<Elements> all;
  if (!sparse || gltf_member(&description, "bufferView") != nullptr)
    all = elements(description, *count, width, where);
  if (*count > kMostRead * size_ / width) fail(where, "has more elements than the file has bytes for");
  read_ += *count * width * sizeof(double);
  if (read_ > kMostRead * size_) fail(where, "reads the same bytes too often");
  std::vector<double> values(*count * width, 0.0);
  for (std::size_t i = 0; all && i < values.size(); ++i) values[i] = (*all)(i / width, i % width);
  if (sparse) replace_sparse(description, width, *type, where, values);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) fail(where, "element " + std::to_string(i / width) + " is not finite");
  return numbers_.emplace(accessor, std::move(values)).first->second;
}

}  // namespace panto::io
