#pragma once
// A glTF 2.0 file as JSON and buffers: .glb, .gltf, .vrm, .vrma (docs/formats/gltf.md). Internal.

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace panto::io {

/// Returns the member of an object; nullptr when it is missing or `json` is null or no object.
[[nodiscard]] const nlohmann::json* gltf_member(const nlohmann::json* json, const char* key) noexcept;
/// Returns a member that is an index; nothing when it is missing or no such number.
[[nodiscard]] std::optional<std::size_t> gltf_index(const nlohmann::json* json, const char* key) noexcept;
/// Returns a member that is text; empty when it is missing.
[[nodiscard]] std::string gltf_text(const nlohmann::json* json, const char* key);

/// The document with the numbers of its accessors. Memory follows the bytes present, never a declared count.
class GltfFile {
 public:
  /// Parses `bytes`, which outlive this object. `folder`: where buffers beside the file lie, empty for none.
  /// @throws FormatError "name: place: ...".
  GltfFile(std::string_view bytes, std::string name, std::string folder);

  [[nodiscard]] const nlohmann::json& root() const noexcept { return root_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Returns how many elements a list of the document has; 0 when it is missing.
  [[nodiscard]] std::size_t count(const char* list) const noexcept;
  /// Returns an element of a list. @throws FormatError if the list has no such element.
  [[nodiscard]] const nlohmann::json& element(const char* list, std::size_t index) const;
  /// Returns the numbers of an accessor, whose elements have `width` of them. @throws FormatError when they
  /// are not in the file, or not finite.
  [[nodiscard]] const std::vector<double>& numbers(std::size_t accessor, std::size_t width);
  /// Returns the bytes that a container holds beside its JSON; empty without a container.
  [[nodiscard]] std::string_view binary() const noexcept { return binary_; }
  /// Returns the bytes of all that was read.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[noreturn]] void fail(const std::string& where, const std::string& what) const;

 private:
  void parse(std::string_view json);
  void split_container(std::string_view bytes);
  [[nodiscard]] std::string_view buffer(std::size_t index);
  [[nodiscard]] std::string load(const std::string& uri, const std::string& where) const;
  [[nodiscard]] std::string_view view(std::size_t index, std::size_t& stride);
  struct Elements;
  [[nodiscard]] Elements elements(const nlohmann::json& description, std::size_t count, std::size_t width,
                                  const std::string& where);
  void replace_sparse(const nlohmann::json& description, std::size_t width, std::size_t type,
                      const std::string& where, std::vector<double>& values);

  std::string name_, folder_;
  nlohmann::json root_;
  std::string_view binary_;
  std::map<std::size_t, std::string> loaded_;           // by buffer
  std::map<std::size_t, std::vector<double>> numbers_;  // by accessor
  std::size_t size_ = 0, beside_ = 0, read_ = 0;        // bytes of all files, of the others, of what was read
};

}  // namespace panto::io
