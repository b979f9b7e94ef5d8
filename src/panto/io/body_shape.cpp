#include "panto/io/body_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/npz_archive.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr double kShortest = 0.4, kTallest = 2.6;  // [m] of a person
constexpr double kWeightSum = 0.02;                // by which a joint's weights may miss 1
constexpr double kMostBeta = 100.0;                // standard deviations
// parents of the joints that all models share (smplx/joint_names.py)
constexpr std::array<int, kBodyJoints> kParents{-1, 0, 0, 0, 1,  2,  3,  4,  5,  6,  7,
                                                8,  9, 9, 9, 12, 13, 14, 16, 17, 18, 19};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : archive_(bytes, name), name_(name) {}

  BodyShape read(const std::vector<double>& betas) {
    const NpyArray vertices = array("v_template");
    if (!vertices.is_number() || vertices.shape.size() != 2 || vertices.shape[1] != 3 ||
        vertices.shape[0] == 0)
      throw FormatError(vertices.where + ": must be vertices of shape (V, 3)");
    vertices_ = vertices.shape[0];
    check_tree();
    shape_vertices(vertices, betas);
    read_joints();
    check_size();
    return shape_;
  }

 private:
  [[nodiscard]] NpyArray array(std::string_view key) const {
    const auto member = archive_.find(key);
    if (!member)
      throw FormatError(name_ + ": no array '" + std::string(key) +
                        "'; a model of SMPL, SMPL-H or SMPL-X has v_template, shapedirs, J_regressor and "
                        "kintree_table");
    return archive_.array(*member);
  }

  void check_tree() {
    const NpyArray tree = array("kintree_table");
    const bool fits =
        tree.is_number() && tree.shape.size() == 2 && tree.shape[0] == 2 && tree.shape[1] >= kBodyJoints;
    if (!fits) throw FormatError(tree.where + ": must have two rows of at least 22 joints");
    joints_ = tree.shape[1];
    for (std::size_t j = 1; j < kBodyJoints; ++j) {
      if (tree.number(j) != kParents[j])
        throw FormatError(tree.where + ": joint " + std::to_string(j) + " has another parent than in SMPL");
    }
  }

  void shape_vertices(const NpyArray& rest, const std::vector<double>& betas) {
    const NpyArray directions = array("shapedirs");
    const bool fits = directions.is_number() && directions.shape.size() == 3 &&
                      directions.shape[0] == vertices_ && directions.shape[1] == 3;
    if (!fits)
      throw FormatError(directions.where + ": must be of shape (" + std::to_string(vertices_) +
                        ", 3, shapes)");
    shape_.betas = std::min(betas.size(), directions.shape[2]);
    place_.resize(3 * vertices_);
    for (std::size_t i = 0; i < place_.size(); ++i) {
      place_[i] = rest.number(i);
      for (std::size_t b = 0; b < shape_.betas; ++b) {
        if (!(std::abs(betas[b]) < kMostBeta))
          throw FormatError(name_ + ": beta " + std::to_string(b) + " of the motion is no shape of a person");
        place_[i] += betas[b] * directions.number(i * directions.shape[2] + b);
      }
    }
  }

  [[nodiscard]] Vector3d vertex(std::size_t v) const { return Vector3d::Map(place_.data() + 3 * v); }

  void read_joints() {
    weight_.fill(0.0);
    shape_.joints.fill(Vector3d::Zero());
    if (archive_.find("J_regressor_data")) {
      read_sparse();
    } else {
      const NpyArray regressor = array("J_regressor");
      if (!regressor.is_number() || regressor.shape != std::vector<std::size_t>{joints_, vertices_})
        throw FormatError(regressor.where + ": must be of shape (" + std::to_string(joints_) + ", " +
                          std::to_string(vertices_) + ")");
      for (std::size_t j = 0; j < kBodyJoints; ++j) {
        for (std::size_t v = 0; v < vertices_; ++v) add(j, v, regressor.number(j * vertices_ + v));
      }
    }
    for (std::size_t j = 0; j < kBodyJoints; ++j) {
      if (!(std::abs(weight_[j] - 1.0) < kWeightSum))
        throw FormatError(name_ + ": the weights of joint " + std::to_string(j) + " in J_regressor sum to " +
                          digits(weight_[j], 3) + " instead of 1");
    }
  }

  // scipy.sparse, by rows (joints) or columns (vertices)
  void read_sparse() {
    const NpyArray data = array("J_regressor_data"), indices = array("J_regressor_indices"),
                   starts = array("J_regressor_indptr");
    const bool by_joint = starts.count == joints_ + 1, by_vertex = starts.count == vertices_ + 1;
    const bool fits =
        data.is_number() && indices.is_number() && starts.is_number() && data.count == indices.count;
    if (!fits || !(by_joint || by_vertex))
      throw FormatError(starts.where + ": does not fit J_regressor_data and " + std::to_string(joints_) +
                        " joints");
    const double inner = static_cast<double>(by_joint ? vertices_ : joints_);
    for (std::size_t row = 0; row + 1 < starts.count; ++row) {
      const double from = starts.number(row), to = starts.number(row + 1);
      if (!(from >= 0.0 && from <= to && to <= static_cast<double>(data.count)))
        throw FormatError(starts.where + ": element " + std::to_string(row) + " is out of range");
      for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
        const double column = indices.number(i);
        if (!(column >= 0.0 && column < inner))
          throw FormatError(indices.where + ": element " + std::to_string(i) + " is out of range");
        const auto other = static_cast<std::size_t>(column);
        add(by_joint ? row : other, by_joint ? other : row, data.number(i));
      }
    }
  }

  void add(std::size_t joint, std::size_t of_vertex, double weight) {
    if (joint >= kBodyJoints || weight == 0.0) return;
    shape_.joints[joint] += weight * vertex(of_vertex);
    weight_[joint] += weight;
  }

  void check_size() {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t v = 0; v < vertices_; ++v) {
      low = std::min(low, place_[3 * v + 1]);
      high = std::max(high, place_[3 * v + 1]);
    }
    shape_.height = high - low;
    bool finite = true;
    for (const Vector3d& joint : shape_.joints) finite = finite && joint.allFinite();
    if (!finite || !(shape_.height > kShortest && shape_.height < kTallest))
      throw FormatError(name_ + ": the body is " + digits(shape_.height, 3) +
                        " m high (y up): no person; is the file in metres, and does the shape fit it?");
  }

  NpzArchive archive_;
  std::string name_;
  std::size_t vertices_ = 0, joints_ = 0;
  std::vector<double> place_;  // of the vertices, with the person's shape
  std::array<double, kBodyJoints> weight_{};
  BodyShape shape_;
};

}  // namespace

BodyShape read_body_shape(std::string_view bytes, const std::string& name, const std::vector<double>& betas) {
  return Reader(bytes, name).read(betas);
}

BodyShape read_body_shape(const std::string& path, const std::vector<double>& betas) {
  return read_body_shape(read_text_file(path, kLargestNpzFile), path, betas);
}

}  // namespace panto::io
