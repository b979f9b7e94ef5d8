// Writes a sensors file as TOML, which `read_sensors` reads back.

#include <fmt/core.h>

#include <charconv>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/toml_text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::string in_quotes(const std::string& name) {
  if (auto text = toml_string(name)) return std::move(*text);
  throw FormatError("'" + toml_comment(name) +
                    "': this name is not UTF-8, as a sensors file requires; rename it");
}

// fifteen digits, so that three degrees are not 3.0000000000000004
std::string degrees(double angle) {
  double rounded = angle * kToDegrees;
  const std::string text = fmt::format("{:.15g}", rounded);
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return toml_number(rounded);
}

const char* word(MagneticUse use) {
  return use == MagneticUse::Off ? "off" : use == MagneticUse::Heading ? "heading" : "vector";
}

const char* word(MountingUse use) {
  return use == MountingUse::Inflate ? "inflate" : use == MountingUse::Consider ? "consider" : "estimate";
}

std::string sensor_line(const InertialSetup& setup, std::size_t k, const std::string& remark) {
  const ImuMount& mount = setup.mounts[k];
  std::string line = fmt::format("  {{ name = {}, link = {}, wxyz = {}", in_quotes(mount.name),
                                 in_quotes(mount.link), toml_wxyz(mount.R_LI));
  if (mount.turn_sigma) line += ", turn_sigma_deg = " + degrees(*mount.turn_sigma);
  if (!mount.p_LI.isZero(0.0)) line += ", position = " + toml_numbers(mount.p_LI);
  if (mount.position_sigma) line += ", position_sigma = " + toml_number(*mount.position_sigma);
  if (k < setup.gyro_bias.size()) line += ", gyro_bias = " + toml_numbers(setup.gyro_bias[k]);
  line += " },";
  if (!remark.empty()) line += "  # " + toml_comment(remark);
  return line + "\n";
}

std::string contact_lines(const SensorSetup& file) {
  const InertialSetup& setup = file.setup;
  const ChainContactOptions& o = setup.filter.contact;
  if (!file.soles && o.points.empty()) return "";
  std::string lines = file.soles ? "contacts = \"soles\"\n" : "contacts = [\n";
  for (std::size_t k = 0; !file.soles && k < o.points.size(); ++k) {
    const PointMount& point = setup.points[k];
    lines += fmt::format("  {{ name = {}, link = {}, position = {}, sensor = {} }},\n", in_quotes(point.name),
                         in_quotes(point.link), toml_numbers(point.p_LP), in_quotes(o.points[k].sensor));
  }
  lines += fmt::format("{}\n[standing]\ngyro = {}\nacc = {}\nsettles = {}\nspeed = {}\nheight = {}\n",
                       file.soles ? "" : "]\n", toml_number(o.gyro), toml_number(o.acc),
                       toml_number(o.settles), toml_number(o.speed), toml_number(o.height));
  return o.floor ? lines + "floor = " + toml_number(*o.floor) + "\n" : lines;
}

const char* word(OrientationUse use) {
  return use == OrientationUse::Off ? "off" : use == OrientationUse::Inclination ? "inclination" : "full";
}

// returns W in G, in which gravity points down: as given, else by the smallest turn
std::string world_lines(const SensorSetup& file) {
  const Surroundings& around = file.setup.surroundings;
  const Vector3d down = around.gravity_W.normalized();
  const bool said = (around.R_WG.transpose() * down + Vector3d::UnitZ()).norm() < 1e-9;
  const Matrix3d R_GW = said ? Matrix3d(around.R_WG.transpose()) : least_turn(down, -Vector3d::UnitZ());
  std::string lines = fmt::format("\n[world]\ngravity = {}\n", toml_number(around.gravity_W.norm()));
  if (!R_GW.isIdentity(1e-12)) lines += "wxyz = " + toml_wxyz(R_GW) + "\n";
  lines += fmt::format("orientation = \"{}\"\n", word(file.setup.filter.orientation_use));
  if (!file.has_field) return lines;
  return lines + fmt::format("field = {}  # east, north, up\nmagnetometer = \"{}\"\n",
                             toml_numbers(R_GW * around.field_W), word(file.setup.filter.magnetic));
}

std::string noise_lines(const ChainEkfOptions& o) {
  std::string lines = fmt::format(
      "\n[noise]\ngyro = {}\n{}mag = {}\nmounting_deg = {}\nmounting_use = \"{}\"\nchanging_deg = "
      "{}\n"
      "wobble = {}\ngyro_scale = {}\ngyro_bias = {}\ngyro_bias_walk = {}\nheading_deg = {}\nheading_memory = "
      "{}\n"
      "field_norm = {}\nfield_dip_deg = {}\n",
      toml_number(o.gyro), o.acc_adapts ? "" : "acc = " + toml_number(o.acc) + "\n", toml_number(o.mag),
      degrees(o.mounting), word(o.mounting_use), degrees(o.changing), toml_number(o.wobble),
      toml_number(o.gyro_scale), toml_number(o.bias), toml_number(o.bias_walk), degrees(o.heading),
      toml_number(o.heading_memory), toml_number(o.field_norm), degrees(o.field_dip));
  lines += fmt::format("orientation_deg = {}\norientation_memory = {}\norientation_noise = {}\n",
                       degrees(o.orientation), toml_number(o.orientation_memory),
                       toml_number(o.orientation_noise));
  lines += "changing_memory = " + toml_number(o.changing_memory) + "\n";
  if (o.gyro_range < kInfinity) lines += "gyro_range = " + toml_number(o.gyro_range) + "\n";
  if (o.acc_range < kInfinity) lines += "acc_range = " + toml_number(o.acc_range) + "\n";
  return lines;
}

std::string refine_lines(const ChainRefinement& o) {
  if (!(o.place > 0.0) && !(o.length > 0.0)) return "";
  return fmt::format("\n[refine]\nplaces = {}\nlengths = {}\nexcited = {}\ninterval = {}\n",
                     toml_number(o.place), toml_number(o.length), toml_number(o.excited),
                     toml_number(o.interval));
}

std::string motion_lines(const InertialSetup& setup) {
  const auto process = [](const ChainProcess& of) {
    return fmt::format("{{ rms = {}, time = {} }}", toml_number(of.size), toml_number(of.time));
  };
  return fmt::format("\n[motion]\n{}slides = {}\ntravel = {}\nsharing = {}\n",
                     setup.turning.adapts ? "" : "hinges = " + process(setup.turning) + "\n",
                     process(setup.shifting), process(setup.travelling), process(setup.sharing));
}

std::string start_lines(const InertialSetup& setup) {
  const auto joints = [](const char* key, const std::vector<std::pair<std::string, double>>& list,
                         double unit) {
    if (list.empty()) return std::string();
    std::string line = fmt::format("{} = {{ ", key);
    for (const auto& [joint, value] : list)
      line += (line.ends_with("{ ") ? "" : ", ") + in_quotes(joint) + " = " + toml_number(unit * value);
    return line + " }\n";
  };
  std::string lines = "\n[start]\n" + joints("joints_deg", setup.start_hinges, kToDegrees) +
                      joints("joints_m", setup.start_slides, 1.0);
  if (!setup.R_WB.isIdentity(0.0)) lines += "base_wxyz = " + toml_wxyz(setup.R_WB) + "\n";
  if (setup.p_WB) lines += "base_m = " + toml_numbers(*setup.p_WB) + "\n";
  return lines + "sigma_deg = " + degrees(setup.filter.start[0]) + "\n";
}

}  // namespace

std::string sensors_text(const SensorSetup& file, const std::string& heading,
                         const std::vector<std::string>& remarks) {
  std::string text;
  if (!heading.empty()) text += "# " + toml_comment(heading) + "\n";
  text += "kind = \"sensors\"\nversion = 1\n\nsensors = [\n";
  for (std::size_t k = 0; k < file.setup.mounts.size(); ++k)
    text += sensor_line(file.setup, k, k < remarks.size() ? remarks[k] : "");
  text += "]\n";
  if (file.steadied > 0.0) text += "\nsteadied = " + toml_number(file.steadied) + "\n";
  if (file.setup.lag > 0.0) text += "\nlag = " + toml_number(file.setup.lag) + "\n";
  return text + contact_lines(file) + world_lines(file) + noise_lines(file.setup.filter) +
         refine_lines(file.setup.filter.refine) + motion_lines(file.setup) + start_lines(file.setup);
}

}  // namespace panto::io
