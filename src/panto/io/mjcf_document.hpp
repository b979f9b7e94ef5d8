#pragma once
// The XML of a MuJoCo model with the files that it includes; messages with file and line. Internal.

#include <cstddef>
#include <functional>
#include <memory>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "panto/io/mjcf.hpp"

namespace panto::io::mjcf {

class Document {
 public:
  /// Parses `text` and all files it includes. Both arguments must outlive this object.
  /// @throws FormatError for text that is not a MuJoCo model, and for files that cannot be included.
  Document(std::string_view text, const std::string& name, const OpenInclude& open);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] pugi::xml_node root() const { return root_; }

  /// Returns the elements in `node`; those of an included file in the place of its <include>.
  [[nodiscard]] std::vector<pugi::xml_node> children(pugi::xml_node node) const;
  /// Returns those of one name.
  [[nodiscard]] std::vector<pugi::xml_node> children(pugi::xml_node node, std::string_view element) const;
  /// Returns the elements of all sections of a name: a model may have several, such as <worldbody>.
  [[nodiscard]] std::vector<pugi::xml_node> in_sections(std::string_view section) const;

  /// Returns "path:12".
  [[nodiscard]] std::string place_of(pugi::xml_node node) const;
  /// @throws FormatError "path:12: <joint name='knee'>: what"
  [[noreturn]] void fail(pugi::xml_node node, const std::string& what) const;

 private:
  struct Source {
    std::string name, text, folder;  // of an included file: its folder, as named from the main file's
    std::string_view view;
    pugi::xml_document xml;
  };

  const Source& source_of(pugi::xml_node node) const;
  pugi::xml_node add_source(std::unique_ptr<Source> source);
  void find_includes(Source& source, std::size_t depth);
  void include(pugi::xml_node node, const std::string& folder, std::size_t depth);
  void splice(pugi::xml_node node, std::vector<pugi::xml_node>& found) const;

  const std::string& name_;
  const OpenInclude& open_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::unordered_map<const void*, const Source*> of_document_;  // by the document's own node
  std::unordered_map<const void*, pugi::xml_node> included_;    // root of the file, by its <include>
  std::set<std::string> names_;                                 // of included files
  std::size_t bytes_ = 0, tags_ = 0, attributes_ = 0;
  pugi::xml_node root_;
};

}  // namespace panto::io::mjcf
