// SPDX-License-Identifier: Apache-2.0
// examples/robotics/urdf.h -- robots from URDF: links with inertias, and the joints between them. Shapes, materials,
// transmissions and mimics are skipped.
#pragma once

#include <cstdlib>

#include "examples/robotics/model.h"
#include "examples/robotics/xml.h"

namespace robotics {
namespace detail {

/// Reads numbers that are separated by spaces.
template <size_t count>
std::array<double, count> numbers(const Element& element, std::string_view attribute,
                                  const std::array<double, count>& otherwise) {
  const auto found = element.attributes.find(attribute);
  if (found == element.attributes.end()) return otherwise;
  std::array<double, count> values;
  const char* at = found->second.c_str();
  for (double& value : values) {
    char* end = nullptr;
    value = std::strtod(at, &end);
    if (end == at || !std::isfinite(value)) at = nullptr;
    if (at == nullptr) break;
    at = end;
  }
  while (at != nullptr && std::isspace(static_cast<unsigned char>(*at))) ++at;
  if (at == nullptr || *at != '\0') {
    refuse_line(element.line, "<" + element.name + " " + std::string(attribute) + "=\"" + found->second +
                                  "\">: expected " + std::to_string(count) + " finite number" + (count > 1 ? "s" : ""));
  }
  return values;
}
inline double number(const Element& element, std::string_view attribute, double otherwise) {
  return detail::numbers<1>(element, attribute, {otherwise})[0];
}

inline const std::string& text(const Element& element, std::string_view attribute) {
  const auto found = element.attributes.find(attribute);
  if (found == element.attributes.end())
    refuse_line(element.line, "<" + element.name + "> has no " + std::string(attribute));
  return found->second;
}
inline const Element& part(const Element& element, std::string_view name) {
  const Element* child = element.child(name);
  if (child == nullptr) refuse_line(element.line, "<" + element.name + "> has no <" + std::string(name) + ">");
  return *child;
}

inline Frame frame_of(const Element& element) {
  const Element* origin = element.child("origin");
  if (origin == nullptr) return {};
  return {rotation_of(detail::numbers<3>(*origin, "rpy", {})), detail::numbers<3>(*origin, "xyz", {})};
}

inline Body body_of(const Element& link) {
  const Element* inertial = link.child("inertial");
  if (inertial == nullptr) return {};
  const Element& i = detail::part(*inertial, "inertia");
  const double mass = detail::number(detail::part(*inertial, "mass"), "value", 0);
  if (mass < 0) refuse_line(inertial->line, "the mass is negative");
  const auto at = [&](const char* name) { return detail::number(i, name, 0); };
  const Mat3 inertia = {
      {{at("ixx"), at("ixy"), at("ixz")}, {at("ixy"), at("iyy"), at("iyz")}, {at("ixz"), at("iyz"), at("izz")}}};
  return moved(detail::frame_of(*inertial), Body{mass, {}, inertia});
}

/// The elements of a robot, by link.
struct Description {
  std::map<std::string, const Element*, std::less<>> links;
  std::map<std::string, std::vector<const Element*>, std::less<>>
      joints_of;  ///< by their parent link, in the file's order
  std::string root;
  int line = 0;  ///< of the robot
};

inline Description describe(const Element& robot) {
  if (robot.name != "robot") refuse_line(robot.line, "got <" + robot.name + ">, expected <robot>");
  Description found;
  found.line = robot.line;
  std::map<std::string, int> carried;  // lines of the joints that move each link
  for (const Element& element : robot.children) {
    if (element.name == "link" && !found.links.emplace(detail::text(element, "name"), &element).second)
      refuse_line(element.line, "link '" + detail::text(element, "name") + "' is there twice");
  }
  for (const Element& element : robot.children) {
    if (element.name != "joint") continue;
    const std::string &parent = detail::text(detail::part(element, "parent"), "link"),
                      &child = detail::text(detail::part(element, "child"), "link");
    for (const std::string& link : {parent, child}) {
      if (!found.links.contains(link)) refuse_line(element.line, "no link '" + link + "'");
    }
    const auto [before, first] = carried.emplace(child, element.line);
    if (!first)
      refuse_line(element.line, "link '" + child + "' already has the joint of line " + std::to_string(before->second));
    found.joints_of[parent].push_back(&element);
  }
  for (const auto& [name, link] : found.links) {
    if (carried.contains(name)) continue;
    if (!found.root.empty())
      refuse_line(link->line, "links '" + found.root + "' and '" + name + "' have no parent; expected one root");
    found.root = name;
  }
  if (found.root.empty())
    refuse_line(robot.line, found.links.empty() ? "no link" : "every link has a parent: a loop of joints");
  return found;
}

inline Joint joint_of(const Element& element) {
  const std::string& type = detail::text(element, "type");
  Joint joint;
  joint.name = detail::text(element, "name");
  if (type != "revolute" && type != "continuous" && type != "prismatic")
    refuse_line(element.line, "joint type '" + type + "' isn't supported: revolute, continuous, prismatic, fixed");
  joint.type = type == "prismatic" ? Joint::kPrismatic : Joint::kRevolute;
  joint.axis = {1, 0, 0};  // URDF's default
  if (const Element* axis = element.child("axis")) joint.axis = detail::numbers<3>(*axis, "xyz", joint.axis);
  if (const Element* limit = element.child("limit")) {
    const bool bounded = type != "continuous";
    joint.lower = bounded ? detail::number(*limit, "lower", 0) : joint.lower;
    joint.upper = bounded ? detail::number(*limit, "upper", 0) : joint.upper;
    joint.effort = detail::number(*limit, "effort", joint.effort);
  }
  return joint;
}

/// A joint to append, and where its parent link is: in the frame of a row, or of the base.
struct Mount {
  const Element* joint;
  int64_t row;
  Frame frame;
};

/// Appends a movable joint. Returns where the link is that it moves.
inline Mount append_joint(const Mount& mount, std::vector<Joint>& joints) {
  const Frame frame = mount.frame * detail::frame_of(*mount.joint);
  if (detail::text(*mount.joint, "type") == "fixed") return {mount.joint, mount.row, frame};
  Joint joint = detail::joint_of(*mount.joint);
  joint.parent = mount.row;
  joint.frame = frame;
  joints.push_back(joint);
  return {mount.joint, static_cast<int64_t>(joints.size()) - 1, {}};
}

/// Returns the table, each joint before those that it carries. A link of a fixed joint becomes part of the body to
/// which it is fixed.
inline std::vector<Joint> table_of(const Description& of) {
  std::vector<Joint> joints;
  std::vector<Mount> open;
  const auto open_joints_of = [&](const std::string& link, const Mount& at) {
    const auto found = of.joints_of.find(link);
    if (found == of.joints_of.end()) return;
    for (size_t k = found->second.size(); k-- > 0;) open.push_back({found->second[k], at.row, at.frame});
  };
  open_joints_of(of.root, {nullptr, -1, {}});
  size_t links = 1;
  for (; !open.empty(); ++links) {
    const Mount mount = open.back();
    open.pop_back();
    const Mount moves = detail::append_joint(mount, joints);
    const std::string& link = detail::text(detail::part(*mount.joint, "child"), "link");
    if (moves.row >= 0) {
      Body& body = joints[static_cast<size_t>(moves.row)].body;
      body = body + moved(moves.frame, detail::body_of(*of.links.find(link)->second));
    }
    open_joints_of(link, moves);
  }
  if (links != of.links.size()) refuse_line(of.line, "a loop of joints isn't connected to '" + of.root + "'");
  return joints;
}

}  // namespace detail

/// Returns the robot of a URDF text, fixed to the base by its root link.
/// Errors     INVALID_ARGUMENT with the line: no XML, missing or unknown links, loops, joints of other types, numbers
///            that aren't finite
inline Model read_urdf(std::string_view text) { return make_model(detail::table_of(detail::describe(read_xml(text)))); }

/// Reads a file.
/// Errors     NOT_FOUND if it doesn't exist
inline Model load_urdf(const std::string& path) { return read_urdf(hilo::or_throw(hilo::read_file(path))); }

}  // namespace robotics
