#include "panto/io/mesh_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "panto/base/error.hpp"
#include "panto/io/mesh_dae.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3f;

constexpr float kLargest = 1e7F;            // larger coordinates are damage
constexpr std::size_t kStlHeader = 84;      // bytes: 80 of text, 4 of the count
constexpr std::size_t kStlTriangle = 50;    // bytes
constexpr int kMostCells = 4096;            // grid cells along an edge
constexpr std::size_t kMostCorners = 1000;  // of one face

// Merges equal points, by a table of hashes with open addresses.
class Points {
 public:
  explicit Points(TriangleMesh& mesh) : mesh_(&mesh), slots_(kFirstSlots, kNone) {}
  std::uint32_t index(const Vector3f& p) {
    if (2 * mesh_->points.size() >= slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(p)];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(mesh_->points.size());
      mesh_->points.push_back(p);
    }
    return slot;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::size_t kFirstSlots = 1024;  // a power of two

  // Returns the slot of a point, or the empty one where it belongs.
  [[nodiscard]] std::size_t slot_of(const Vector3f& p) const {
    std::uint64_t hash = 0;
    for (int i = 0; i < 3; ++i) {
      std::uint32_t word = 0;
      const float value = p[i] + 0.0F;  // -0 equals 0
      std::memcpy(&word, &value, sizeof word);
      hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29U;
    }
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != kNone && mesh_->points[slots_[slot]] != p) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), kNone);
    for (std::uint32_t i = 0; i < mesh_->points.size(); ++i) slots_[slot_of(mesh_->points[i])] = i;
  }

  TriangleMesh* mesh_;
  std::vector<std::uint32_t> slots_;  // indices of points
};

bool sane(const Vector3f& p) { return p.allFinite() && p.cwiseAbs().maxCoeff() <= kLargest; }

std::uint32_t count_at(std::string_view bytes, std::size_t place) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[place + i])) << (8U * i);
  return value;
}

float float_at(std::string_view bytes, std::size_t place) {
  const std::uint32_t word = count_at(bytes, place);
  float value = 0.0F;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

TriangleMesh read_binary_stl(std::string_view bytes, const std::string& name) {
  const std::size_t count = count_at(bytes, 80);
  TriangleMesh mesh;
  Points points(mesh);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<std::uint32_t, 3> triangle{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::size_t place = kStlHeader + i * kStlTriangle + 12 * (corner + 1);
      const Vector3f p(float_at(bytes, place), float_at(bytes, place + 4), float_at(bytes, place + 8));
      if (!sane(p))
        throw FormatError(fmt::format("{}: byte {}: a corner is not finite or too far away", name, place));
      triangle[corner] = points.index(p);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

// Words of a text, with the line they are on.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  std::string_view next() {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (at_ < text_.size() && blank(text_[at_])) line_ += text_[at_++] == '\n' ? 1 : 0;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !blank(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  [[nodiscard]] long line() const noexcept { return line_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  long line_ = 1;
};

std::optional<Vector3f> place_of(const std::array<std::string_view, 3>& words) {
  Vector3f p;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = parse_number(words[i]);
    if (!number) return std::nullopt;
    p[static_cast<Eigen::Index>(i)] = static_cast<float>(*number);
  }
  if (!sane(p)) return std::nullopt;
  return p;
}

TriangleMesh read_ascii_stl(std::string_view bytes, const std::string& name) {
  TriangleMesh mesh;
  Points points(mesh);
  Words words(bytes);
  std::array<std::uint32_t, 3> triangle{};
  std::size_t corners = 0;
  for (std::string_view word; !(word = words.next()).empty();) {
    if (word == "endloop") {
      if (corners != 3)
        throw FormatError(fmt::format("{}:{}: a facet has {} corners; an STL holds triangles only", name,
                                      words.line(), corners));
      mesh.triangles.push_back(triangle);
      corners = 0;
    }
    if (word != "vertex") continue;
    std::array<std::string_view, 3> numbers;
    for (std::string_view& number : numbers) number = words.next();
    const auto p = place_of(numbers);
    if (!p) throw FormatError(fmt::format("{}:{}: a vertex needs three numbers", name, words.line()));
    if (corners < 3) triangle[corners] = points.index(*p);
    ++corners;
  }
  if (corners != 0)
    throw FormatError(
        fmt::format("{}:{}: the file ends within a facet; it is truncated", name, words.line()));
  return mesh;
}

TriangleMesh read_stl(std::string_view bytes, const std::string& name) {
  // some binary files begin with "solid" too; their length identifies them
  const bool holds_count = bytes.size() >= kStlHeader;
  const std::size_t count = holds_count ? count_at(bytes, 80) : 0;
  if (holds_count && bytes.size() == kStlHeader + count * kStlTriangle) return read_binary_stl(bytes, name);
  if (bytes.substr(0, 5) == "solid") return read_ascii_stl(bytes, name);
  if (!holds_count) throw FormatError(fmt::format("{}: {} bytes are too few for an STL", name, bytes.size()));
  throw FormatError(
      fmt::format("{}: {} triangles need {} bytes, the file has {}; it is truncated or not an STL", name,
                  count, kStlHeader + count * kStlTriangle, bytes.size()));
}

// Splits one face of an OBJ into a fan of triangles.
void add_face(std::string_view line, const std::string& where, TriangleMesh& mesh) {
  Words words(line);
  (void)words.next();
  std::vector<std::uint32_t> face;
  for (std::string_view word; !(word = words.next()).empty();) {
    const auto number = parse_number(word.substr(0, word.find('/')));
    const auto size = static_cast<double>(mesh.points.size());
    // indices begin at 1; negative ones count from the last point
    const double index = !number ? -1.0 : *number < 0.0 ? size + *number : *number - 1.0;
    if (!(index >= 0.0 && index < size) || index != std::floor(index))
      throw FormatError(fmt::format("{}: {} is not one of the {} points before it", where, in_quotes(word),
                                    mesh.points.size()));
    if (face.size() >= kMostCorners)
      throw FormatError(fmt::format("{}: more than {} corners", where, kMostCorners));
    face.push_back(static_cast<std::uint32_t>(index));
  }
  if (face.size() < 3) throw FormatError(fmt::format("{}: a face needs three points", where));
  for (std::size_t i = 2; i < face.size(); ++i) mesh.triangles.push_back({face[0], face[i - 1], face[i]});
}

TriangleMesh read_obj(std::string_view bytes, const std::string& name) {
  TriangleMesh mesh;
  long number = 0;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = trimmed(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    ++number;
    const auto where = [&] { return fmt::format("{}:{}", name, number); };
    if (line.substr(0, 2) == "v ") {
      Words words(line.substr(2));
      std::array<std::string_view, 3> numbers;
      for (std::string_view& word : numbers) word = words.next();
      const auto p = place_of(numbers);
      if (!p) throw FormatError(where() + ": a point needs three numbers");
      mesh.points.push_back(*p);
    } else if (line.substr(0, 2) == "f ") {
      add_face(line, where(), mesh);
      if (mesh.triangles.size() > kMeshMaxTriangles) break;
    }
  }
  return mesh;
}

// Replaces the points in each cell of a grid with `cells` along the longest edge by their mean.
TriangleMesh clustered(const TriangleMesh& mesh, const Vector3f& low, float edge) {
  std::map<std::array<int, 3>, std::uint32_t> cells;
  std::vector<std::uint32_t> cell_of;
  std::vector<Vector3f> sum;
  std::vector<float> count;
  for (const Vector3f& p : mesh.points) {
    const Vector3f cell = (p - low) / edge;
    const std::array<int, 3> key{static_cast<int>(cell.x()), static_cast<int>(cell.y()),
                                 static_cast<int>(cell.z())};
    const auto [place, is_new] = cells.try_emplace(key, static_cast<std::uint32_t>(sum.size()));
    if (is_new) {
      sum.emplace_back(Vector3f::Zero());
      count.push_back(0.0F);
    }
    sum[place->second] += p - low;
    count[place->second] += 1.0F;
    cell_of.push_back(place->second);
  }
  TriangleMesh coarse;
  for (std::size_t i = 0; i < sum.size(); ++i) coarse.points.push_back(low + sum[i] / count[i]);
  std::vector<std::array<std::uint32_t, 3>> kept;
  for (const auto& t : mesh.triangles) {
    const std::array<std::uint32_t, 3> now{cell_of[t[0]], cell_of[t[1]], cell_of[t[2]]};
    if (now[0] == now[1] || now[1] == now[2] || now[2] == now[0]) continue;
    // smallest index first, orientation kept: equal triangles become neighbours
    const auto first = static_cast<std::size_t>(std::min_element(now.begin(), now.end()) - now.begin());
    kept.push_back({now[first], now[(first + 1) % 3], now[(first + 2) % 3]});
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  coarse.triangles = std::move(kept);
  return coarse;
}

}  // namespace

TriangleMesh read_mesh(std::string_view bytes, const std::string& name) {
  if (bytes.size() > kMeshMaxBytes)
    throw FormatError(fmt::format("{}: {} bytes exceed the limit of {}", name, bytes.size(), kMeshMaxBytes));
  const std::string extension = extension_of(name);
  TriangleMesh mesh;
  if (extension == ".stl") {
    mesh = read_stl(bytes, name);
  } else if (extension == ".obj") {
    mesh = read_obj(bytes, name);
  } else if (extension == ".dae") {
    mesh = detail::read_dae(bytes, name);
  } else {
    throw FormatError(name + ": unknown kind of mesh; expected .stl, .obj or .dae");
  }
  if (mesh.triangles.size() > kMeshMaxTriangles)
    throw FormatError(fmt::format("{}: more than {} triangles", name, kMeshMaxTriangles));
  if (mesh.triangles.empty()) throw FormatError(name + ": holds no triangles");
  return mesh;
}

TriangleMesh read_mesh(const std::string& path) {
  return read_mesh(read_text_file(path, kMeshMaxBytes), path);
}

TriangleMesh decimated(const TriangleMesh& mesh, std::size_t most) {
  if (mesh.triangles.size() <= most || mesh.points.empty()) return mesh;
  Vector3f low = mesh.points.front(), high = low;
  for (const Vector3f& p : mesh.points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const float size = std::max((high - low).maxCoeff(), 1e-9F);
  // finds the finest grid that leaves few enough triangles, by halving
  int fits = 1, many = kMostCells;
  TriangleMesh best = clustered(mesh, low, size * 1.001F);
  while (many - fits > 1) {
    const int middle = (fits + many) / 2;
    TriangleMesh tried = clustered(mesh, low, size * 1.001F / static_cast<float>(middle));
    if (tried.triangles.size() > most) {
      many = middle;
    } else {
      fits = middle;
      best = std::move(tried);
    }
  }
  return best;
}

}  // namespace panto::io
