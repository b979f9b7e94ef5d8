#include "panto/io/mjcf_document.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/utf8.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf_text.hpp"
#include "panto/io/xml_document.hpp"

namespace panto::io {
namespace mjcf {
namespace {

using pugi::xml_node;
using urdf::clipped;
using urdf::in_quotes;

constexpr xml::Limits kLimits{kMjcfMaxBytes, kMjcfMaxTags, kMjcfMaxAttributes, kMjcfMaxDepth};
constexpr std::size_t kMostNestedIncludes = 16;
constexpr std::ptrdiff_t kMostAttributes = 200;  // of an element; MuJoCo's have at most 60

}  // namespace

Document::Document(std::string_view text, const std::string& name, const OpenInclude& open)
    : name_(name), open_(open) {
  auto source = std::make_unique<Source>();
  source->name = name;
  source->view = xml::without_mark(text);
  bytes_ = text.size();
  root_ = add_source(std::move(source));
  if (std::string_view{root_.name()} != "mujoco")
    fail(root_, std::string_view{root_.name()} == "mujocoinclude"
                    ? "this is a part of a model; give the file that includes it"
                    : "the outermost element of an MJCF must be <mujoco>");
  find_includes(*sources_.front(), 0);
}

xml_node Document::add_source(std::unique_ptr<Source> source) {
  Source& own = *source;
  const auto add = [&](std::size_t& all, char c, std::size_t most, const char* what) {
    all += static_cast<std::size_t>(std::count(own.view.begin(), own.view.end(), c));
    if (all > most && !sources_.empty())
      throw FormatError(fmt::format("{}: the model's files together exceed {} {}", own.name, most, what));
  };
  add(tags_, '<', kMjcfMaxTags, "tags");
  add(attributes_, '=', kMjcfMaxAttributes, "attributes");
  xml::parse(own.view, own.name, kLimits, "an MJCF", "<mujoco model='...'>", own.xml);
  of_document_.emplace(static_cast<xml_node>(own.xml).internal_object(), &own);
  sources_.push_back(std::move(source));
  return own.xml.document_element();
}

// depth first without recursion
void Document::find_includes(Source& source, std::size_t depth) {
  for (xml_node node = source.xml.document_element(); node;) {
    const auto attributes = node.attributes();
    if (std::distance(attributes.begin(), attributes.end()) > kMostAttributes)
      fail(node, fmt::format("more than {} attributes", kMostAttributes));
    if (std::string_view{node.name()} == "include" && node.type() == pugi::node_element) {
      include(node, source.folder, depth + 1);
    } else if (node.first_child()) {
      node = node.first_child();
      continue;
    }
    while (node && !node.next_sibling()) node = node.parent();
    if (node) node = node.next_sibling();
  }
}

// as MuJoCo: found from the main file's folder, else from the including file's; each file once
void Document::include(xml_node node, const std::string& folder, std::size_t depth) {
  const std::string file = node.attribute("file").value();
  if (file.empty()) fail(node, "attribute 'file' is missing");
  if (!is_utf8(file)) fail(node, "attribute 'file' is not UTF-8 text");
  if (!open_)
    fail(node,
         fmt::format("includes {}, which cannot be opened from bytes; open the model from a path, or join "
                     "the files (MuJoCo: mj_saveLastXML)",
                     in_quotes(file)));
  if (depth > kMostNestedIncludes)
    fail(node, fmt::format("includes nest deeper than {}", kMostNestedIncludes));
  if (names_.size() >= kMjcfMaxIncludes)
    fail(node, fmt::format("more than {} included files", kMjcfMaxIncludes));
  std::optional<std::string> bytes;
  std::string found;
  for (const std::string& from : {std::string(), folder}) {
    found = (std::filesystem::path(from) / file).lexically_normal().generic_string();
    // out of the main file's folder: the including file's folder may lead back in
    if (from.empty() && !folder.empty() && found.starts_with("../")) continue;
    if (names_.count(found) > 0) fail(node, fmt::format("file {} is already included", in_quotes(file)));
    try {
      bytes = open_(found);
    } catch (const FormatError& error) {
      fail(node, error.what());
    }
    if (bytes || folder.empty()) break;
  }
  if (!bytes) fail(node, fmt::format("file {} not found", in_quotes(file)));
  bytes_ += bytes->size();
  if (bytes_ > kMjcfMaxBytes)
    fail(node, fmt::format("the model's files together exceed {} bytes", kMjcfMaxBytes));
  names_.insert(found);
  auto source = std::make_unique<Source>();
  const std::filesystem::path beside = std::filesystem::path(name_).parent_path();
  source->name = (beside / found).generic_string();
  source->folder = std::filesystem::path(found).parent_path().generic_string();
  source->text = std::move(*bytes);
  source->view = xml::without_mark(source->text);
  Source& own = *source;
  const xml_node root = add_source(std::move(source));
  if (std::string_view{root.name()} == "robot") fail(root, "a URDF cannot be included");
  included_.emplace(node.internal_object(), root);
  find_includes(own, depth);
}

void Document::splice(xml_node node, std::vector<xml_node>& found) const {
  for (const xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const auto file = included_.find(child.internal_object());
    if (file == included_.end()) {
      found.push_back(child);
    } else {
      splice(file->second, found);
    }
  }
}

std::vector<xml_node> Document::children(xml_node node) const {
  std::vector<xml_node> found;
  splice(node, found);
  return found;
}

std::vector<xml_node> Document::children(xml_node node, std::string_view element) const {
  std::vector<xml_node> found = children(node);
  found.erase(
      std::remove_if(found.begin(), found.end(), [&](xml_node child) { return child.name() != element; }),
      found.end());
  return found;
}

std::vector<xml_node> Document::in_sections(std::string_view section) const {
  std::vector<xml_node> found;
  for (const xml_node node : children(root_, section)) splice(node, found);
  return found;
}

const Document::Source& Document::source_of(xml_node node) const {
  return *of_document_.at(node.root().internal_object());
}

std::string Document::place_of(xml_node node) const {
  const Source& source = source_of(node);
  return fmt::format("{}:{}", source.name, xml::line_at(source.view, node.offset_debug()));
}

void Document::fail(xml_node node, const std::string& what) const {
  const auto label = node.attribute("name");
  const std::string element =
      label ? fmt::format("<{} name={}>", clipped(node.name()), in_quotes(label.value()))
            : fmt::format("<{}>", clipped(node.name()));
  throw FormatError(fmt::format("{}: {}: {}", place_of(node), element, what));
}

}  // namespace mjcf

OpenInclude includes_beside(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::absolute(path, unknown).parent_path();
  return [folder](const std::string& name) -> std::optional<std::string> {
    const std::filesystem::path file = folder / name;
    if (!lies_below(file, folder))
      throw FormatError("file " + urdf::in_quotes(name) +
                        " is outside the model's folder; move it there, or join the files (MuJoCo: "
                        "mj_saveLastXML)");
    std::error_code missing;
    if (!std::filesystem::is_regular_file(file, missing)) return std::nullopt;
    return read_text_file(file.string(), kMjcfMaxBytes);
  };
}

bool is_mjcf(std::string_view head) noexcept {
  std::string_view text = xml::without_mark(head);
  const auto skip_blanks = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  };
  for (skip_blanks(); text.starts_with("<?") || text.starts_with("<!"); skip_blanks()) {
    const std::string_view end = text.starts_with("<?") ? "?>" : text.starts_with("<!--") ? "-->" : ">";
    const std::size_t found = text.find(end);
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + end.size());
  }
  return text.starts_with("<mujoco") && !text.starts_with("<mujocoinclude");
}

}  // namespace panto::io
