#include "panto/io/open_imu.hpp"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/toml_reader.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t kLargestFile = 1U << 20U;
constexpr double kDegree = 3.14159265358979323846 / 180.0;
constexpr double kLargestTurn = 3600.0;    // [deg]
constexpr double kLargestPosition = 10.0;  // [m] of a sensor on its link; larger values are millimetres
constexpr double kLargestUnknown = 0.5;    // [m] of a position or a length; larger values are centimetres
constexpr double kLargestBias = 1.0;       // [rad/s]; larger values are degrees
constexpr double kLargestField = 1e6, kSmallest = 1e-12, kLargestNoise = 1e6;
constexpr std::array<std::string_view, 3> kFieldKeys{"norm", "dip_deg", "declination_deg"};

class Reader : private TomlReader {
 public:
  explicit Reader(const std::string& name) : TomlReader(name) {}

  SensorSetup read(std::string_view content) {
    const toml::table root = parse(content);
    const toml::node* kind = root.get("kind");
    if (kind == nullptr || kind->value<std::string>() != "sensors")
      throw FormatError(path() + ":1: no `kind = \"sensors\"`: is this a sensors file?");
    const std::string owner = "a sensors file";
    check_keys(root,
               {"kind", "version", "sensors", "steadied", "lag", "contacts", "standing", "world", "noise",
                "refine", "motion", "start"},
               owner);
    const toml::node& version = needed(root, "version", owner);
    check_version(version);
    const toml::node& sensors = needed(root, "sensors", owner);
    for (const toml::node& node : array(sensors, "sensors")) read_sensor(table(node, "sensors"));
    if (file_.setup.mounts.empty()) fail(sensors, "`sensors` is empty: a file needs at least one sensor");
    file_.setup.filter.magnetic = MagneticUse::Off;
    if (const toml::node* node = root.get("steadied")) file_.steadied = number(*node, "steadied", 0.0, 1.0);
    if (const toml::node* node = root.get("lag")) file_.setup.lag = number(*node, "lag", 0.0, 0.1);
    if (const toml::node* node = root.get("contacts")) read_contacts(*node);
    if (const toml::node* node = root.get("standing")) read_standing(*node);
    if (const toml::node* node = root.get("world")) read_world(table(*node, "world"));
    if (const toml::node* node = root.get("noise")) read_noise(table(*node, "noise"));
    if (const toml::node* node = root.get("refine")) read_refine(table(*node, "refine"));
    if (const toml::node* node = root.get("motion")) read_motion(table(*node, "motion"));
    if (const toml::node* node = root.get("start")) read_start(table(*node, "start"));
    return std::move(file_);
  }

 private:
  void read_sensor(const toml::table& line) {
    ImuMount mount;
    const toml::node& name = needed(line, "name", "a sensor");
    mount.name = text(name, "name");
    if (mount.name.empty()) fail(name, "a sensor's `name` is empty");
    if (!names_.insert(mount.name).second) fail(name, "two sensors are named '" + mount.name + "'");
    const std::string owner = "sensor '" + mount.name + "'";
    check_keys(line,
               {"name", "link", "position", "position_sigma", "wxyz", "euler_xyz_deg", "axes",
                "turn_sigma_deg", "gyro_bias"},
               owner);
    const toml::node& link = needed(line, "link", owner);
    mount.link = text(link, "link");
    if (mount.link.empty()) fail(link, "`link` is empty");
    if (const toml::node* node = line.get("position"))
      mount.p_LI = vector<3>(*node, "position", kLargestPosition);
    mount.R_LI = turn(line, owner);
    if (const toml::node* node = line.get("turn_sigma_deg"))
      mount.turn_sigma = kDegree * positive(*node, "turn_sigma_deg", 180.0);
    if (const toml::node* node = line.get("position_sigma"))
      mount.position_sigma = positive(*node, "position_sigma", kLargestPosition);
    file_.setup.mounts.push_back(std::move(mount));
    const toml::node* bias = line.get("gyro_bias");
    file_.setup.gyro_bias.push_back(bias != nullptr ? vector<3>(*bias, "gyro_bias", kLargestBias)
                                                    : Vector3d(Vector3d::Zero()));
  }

  // "soles", or points in contact while a sensor near them is still
  void read_contacts(const toml::node& node) {
    if (node.is_string()) {
      if (text(node, "contacts") != "soles")
        fail(node, "`contacts` must be \"soles\" (of a human's feet) or a list of points in [ ]");
      file_.soles = true;
      return;
    }
    std::set<std::string> names;
    for (const toml::node& line_node : array(node, "contacts")) {
      const toml::table& line = table(line_node, "contacts");
      PointMount point;
      const toml::node& name = needed(line, "name", "a contact");
      point.name = text(name, "name");
      if (!names.insert(point.name).second) fail(name, "two contacts are named '" + point.name + "'");
      const std::string owner = "contact '" + point.name + "'";
      check_keys(line, {"name", "link", "position", "sensor"}, owner);
      point.link = text(needed(line, "link", owner), "link");
      point.p_LP = vector<3>(needed(line, "position", owner), "position", kLargestPosition);
      const toml::node& sensor = needed(line, "sensor", owner);
      const std::string watched = text(sensor, "sensor");
      if (names_.count(watched) == 0)
        fail(sensor, unknown_name("sensor", watched, "`sensors`",
                                  std::vector<std::string>(names_.begin(), names_.end())));
      file_.setup.filter.contact.points.push_back({point.name, watched});
      file_.setup.points.push_back(std::move(point));
    }
  }

  void read_standing(const toml::node& node) {
    ChainContactOptions& o = file_.setup.filter.contact;
    if (o.points.empty() && !file_.soles)
      fail(node, "`standing` needs `contacts`: the points that may be in contact");
    const toml::table& line = table(node, "standing");
    check_keys(line, {"gyro", "acc", "settles", "speed", "floor", "height"}, "`standing`");
    for (const auto& [key, value] : {std::pair{"gyro", &o.gyro}, std::pair{"acc", &o.acc},
                                     std::pair{"speed", &o.speed}, std::pair{"height", &o.height}})
      if (const toml::node* figure = line.get(key)) *value = positive(*figure, key, kLargestNoise);
    if (const toml::node* settles = line.get("settles")) o.settles = number(*settles, "settles", 0.0, 10.0);
    if (const toml::node* floor = line.get("floor")) o.floor = number(*floor, "floor", -1e3, 1e3);
  }

  // reads one of three forms of a rotation; none: the identity
  Matrix3d turn(const toml::table& line, const std::string& owner) const {
    Matrix3d R = Matrix3d::Identity();
    int given = 0;
    if (const toml::node* node = line.get("wxyz")) R = rotation(*node, "wxyz"), ++given;
    if (const toml::node* node = line.get("euler_xyz_deg"))
      R = euler::to_rotation(kDegree * vector<3>(*node, "euler_xyz_deg", kLargestTurn), euler::XYZ), ++given;
    if (const toml::node* node = line.get("axes")) R = axes(*node), ++given;
    if (given > 1)
      fail(line, owner + " has two rotations; give only one of `wxyz`, `euler_xyz_deg` and `axes`");
    return R;
  }

  // directions of the sensor's x, y and z: ["-y", "x", "z"]
  Matrix3d axes(const toml::node& node) const {
    const toml::array& words = array(node, "axes");
    if (words.size() != 3)
      fail(node, "`axes` must be three words in [ ]: the directions of the sensor's x, y and z");
    Matrix3d R;
    for (int i = 0; i < 3; ++i) {
      const toml::node& word_node = *words.get(at(i));
      std::string word = text(word_node, "axes");
      const double sign = word.starts_with('-') ? -1.0 : 1.0;
      if (word.starts_with('-') || word.starts_with('+')) word.erase(0, 1);
      if (word != "x" && word != "y" && word != "z")
        fail(word_node, "`axes` holds \"" + text(word_node, "axes") +
                            "\"; expected \"x\", \"-x\", \"y\", \"-y\", \"z\" or \"-z\"");
      R.col(i) = sign * Vector3d::Unit(word[0] - 'x');
    }
    if (std::abs(R.determinant() - 1.0) > 1e-9)
      fail(node, "`axes` is not a right-handed frame: z must be x cross y");
    return R;
  }

  double positive(const toml::node& node, const std::string& key, double largest) const {
    const double value = number(node, key, 0.0, largest);
    if (!(value >= kSmallest)) fail(node, "`" + key + "` must be larger than 0");
    return value;
  }

  // G: east, north, up. W: the model's world, turned in G by `wxyz` or `heading_deg`
  void read_world(const toml::table& world) {
    check_keys(
        world,
        {"gravity", "heading_deg", "wxyz", "euler_xyz_deg", "axes", "field", "magnetometer", "orientation"},
        "`world`");
    Matrix3d R_GW = turn(world, "the world");
    if (const toml::node* node = world.get("heading_deg")) {
      if (!R_GW.isIdentity())
        fail(*node, "the world has two rotations; give only `heading_deg` or a rotation");
      R_GW = so3::about_axis(2, kDegree * number(*node, "heading_deg", -kLargestTurn, kLargestTurn));
    }
    file_.setup.surroundings.R_WG = R_GW.transpose();
    double gravity = -file_.setup.surroundings.gravity_W.z();
    if (const toml::node* node = world.get("gravity")) gravity = number(*node, "gravity", 1.0, 30.0);
    file_.setup.surroundings.gravity_W = R_GW.transpose() * Vector3d(0.0, 0.0, -gravity);
    if (const toml::node* node = world.get("field")) {
      file_.setup.surroundings.field_W = R_GW.transpose() * field(*node);
      file_.has_field = true;
      file_.setup.filter.magnetic = MagneticUse::Heading;
    }
    if (const toml::node* node = world.get("magnetometer")) read_magnetic_use(*node);
    if (const toml::node* node = world.get("orientation")) read_orientation_use(*node);
  }

  void read_orientation_use(const toml::node& node) {
    const std::string word = text(node, "orientation");
    if (word != "off" && word != "inclination" && word != "full")
      fail(node, "`orientation` must be \"off\", \"inclination\" or \"full\"");
    file_.setup.filter.orientation_use = word == "off"           ? OrientationUse::Off
                                         : word == "inclination" ? OrientationUse::Inclination
                                                                 : OrientationUse::Full;
  }

  void read_magnetic_use(const toml::node& node) {
    const std::string word = text(node, "magnetometer");
    if (word != "off" && word != "heading" && word != "vector")
      fail(node, "`magnetometer` must be \"off\", \"heading\" or \"vector\"");
    if (word != "off" && !file_.has_field) fail(node, "`magnetometer` needs a `field` as reference");
    file_.setup.filter.magnetic = word == "off"       ? MagneticUse::Off
                                  : word == "heading" ? MagneticUse::Heading
                                                      : MagneticUse::Vector;
  }

  // { norm, dip_deg, declination_deg }, or [east, north, up]
  Vector3d field(const toml::node& node) const {
    if (!node.is_table()) {
      const Vector3d field_G = vector<3>(node, "field", kLargestField);
      if (!(field_G.norm() >= kSmallest)) fail(node, "`field` must not be zero");
      return field_G;
    }
    const toml::table& line = *node.as_table();
    check_keys(line, {kFieldKeys.begin(), kFieldKeys.end()}, "`field`");
    const double norm = positive(needed(line, "norm", "`field`"), "norm", kLargestField);
    const double dip = kDegree * number(needed(line, "dip_deg", "`field`"), "dip_deg", -90.0, 90.0);
    double east = 0.0;
    if (const toml::node* turned = line.get("declination_deg"))
      east = kDegree * number(*turned, "declination_deg", -180.0, 180.0);
    const SinCos down = sincos(dip), turn = sincos(east);
    return norm * Vector3d(down.cos * turn.sin, down.cos * turn.cos, -down.sin);
  }

  void read_mounting_use(const toml::node& node) {
    const std::string word = text(node, "mounting_use");
    if (word != "estimate" && word != "consider" && word != "inflate")
      fail(node, "`mounting_use` must be \"estimate\", \"consider\" or \"inflate\"");
    file_.setup.filter.mounting_use = word == "estimate"   ? MountingUse::Estimate
                                      : word == "consider" ? MountingUse::Consider
                                                           : MountingUse::Inflate;
  }

  // parameters of the filter by key: unit, and whether zero is allowed
  void read_noise(const toml::table& noise) {
    struct Figure {
      const char* key;
      double* value;
      double unit;
      bool may_be_zero;
    };
    ChainEkfOptions& o = file_.setup.filter;
    const std::array<Figure, 19> figures{{{"gyro", &o.gyro, 1.0, false},
                                          {"acc", &o.acc, 1.0, false},
                                          {"mag", &o.mag, 1.0, false},
                                          {"mounting_deg", &o.mounting, kDegree, true},
                                          {"changing_deg", &o.changing, kDegree, true},
                                          {"changing_memory", &o.changing_memory, 1.0, true},
                                          {"gyro_range", &o.gyro_range, 1.0, false},
                                          {"acc_range", &o.acc_range, 1.0, false},
                                          {"wobble", &o.wobble, 1.0, true},
                                          {"gyro_scale", &o.gyro_scale, 1.0, true},
                                          {"gyro_bias", &o.bias, 1.0, false},
                                          {"gyro_bias_walk", &o.bias_walk, 1.0, true},
                                          {"heading_deg", &o.heading, kDegree, true},
                                          {"heading_memory", &o.heading_memory, 1.0, true},
                                          {"orientation_deg", &o.orientation, kDegree, false},
                                          {"orientation_memory", &o.orientation_memory, 1.0, true},
                                          {"orientation_noise", &o.orientation_noise, 1.0, false},
                                          {"field_norm", &o.field_norm, 1.0, false},
                                          {"field_dip_deg", &o.field_dip, kDegree, false}}};
    std::vector<std::string> keys(figures.size());
    std::transform(figures.begin(), figures.end(), keys.begin(),
                   [](const Figure& figure) { return figure.key; });
    keys.emplace_back("mounting_use");
    check_keys(noise, keys, "`noise`");
    if (const toml::node* node = noise.get("mounting_use")) read_mounting_use(*node);
    if (noise.contains("acc")) o.acc_adapts = false;
    for (const Figure& figure : figures) {
      const toml::node* node = noise.get(figure.key);
      if (node == nullptr) continue;
      *figure.value = figure.unit * (figure.may_be_zero ? number(*node, figure.key, 0.0, kLargestNoise)
                                                        : positive(*node, figure.key, kLargestNoise));
    }
  }

  // uncertainty of the positions and lengths that are estimated during tracking
  void read_refine(const toml::table& line) {
    check_keys(line, {"places", "lengths", "excited", "interval"}, "`refine`");
    ChainRefinement& o = file_.setup.filter.refine;
    file_.says_refine = line.contains("places") || line.contains("lengths");
    if (const toml::node* node = line.get("places")) o.place = number(*node, "places", 0.0, kLargestUnknown);
    if (const toml::node* node = line.get("lengths"))
      o.length = number(*node, "lengths", 0.0, kLargestUnknown);
    if (const toml::node* node = line.get("excited")) o.excited = number(*node, "excited", 0.0, 100.0);
    if (const toml::node* node = line.get("interval")) o.interval = number(*node, "interval", 0.0, 100.0);
  }

  // hinges = { rms = 50, time = 0.2 }
  void read_motion(const toml::table& motion) {
    check_keys(motion, {"hinges", "slides", "travel", "sharing"}, "`motion`");
    const auto process = [&](const std::string& key, ChainProcess& of) {
      const toml::node* node = motion.get(key);
      if (node == nullptr) return;
      const toml::table& line = table(*node, key);
      check_keys(line, {"rms", "time"}, "`" + key + "`");
      of.adapts = false;
      of.size = positive(needed(line, "rms", "`" + key + "`"), "rms", 1e5);
      of.time = number(needed(line, "time", "`" + key + "`"), "time", 1e-3, 1e3);
    };
    process("hinges", file_.setup.turning);
    process("slides", file_.setup.shifting);
    process("travel", file_.setup.travelling);
    process("sharing", file_.setup.sharing);
  }

  void read_start(const toml::table& start) {
    check_keys(start, {"joints_deg", "joints_m", "base_wxyz", "base_m", "sigma_deg"}, "`start`");
    const auto joints = [&](const std::string& key, double unit, double largest,
                            std::vector<std::pair<std::string, double>>& list) {
      const toml::node* node = start.get(key);
      if (node == nullptr) return;
      for (const auto& [joint, value] : table(*node, key)) {
        const std::string name(joint.str());
        list.emplace_back(name, unit * number(value, name, -largest, largest));
      }
    };
    joints("joints_deg", kDegree, kLargestTurn, file_.setup.start_hinges);
    joints("joints_m", 1.0, 1e3, file_.setup.start_slides);
    if (const toml::node* node = start.get("base_wxyz")) file_.setup.R_WB = rotation(*node, "base_wxyz");
    if (const toml::node* node = start.get("base_m")) file_.setup.p_WB = vector<3>(*node, "base_m", 1e3);
    if (const toml::node* node = start.get("sigma_deg"))
      file_.setup.filter.start[0] = kDegree * number(*node, "sigma_deg", 1e-3, 180.0);
  }

  SensorSetup file_;
  std::set<std::string> names_;
};

}  // namespace

SensorSetup read_sensors(const std::string& path) {
  return read_sensors(read_text_file(path, kLargestFile), path);
}

SensorSetup read_sensors(std::string_view text, const std::string& name) {
  SensorSetup file = Reader(name).read(text);
  file.name = name;
  return file;
}

}  // namespace panto::io
