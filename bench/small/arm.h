// SPDX-License-Identifier: Apache-2.0
// bench/small/arm.h -- the robot of the small programs.
#pragma once

#include <vector>

#include "examples/robotics/model.h"

namespace bench {

/// Seven revolute joints along one line, whose axes are z and y in turn.
inline robotics::Model make_arm() {
  std::vector<robotics::Joint> joints;
  for (const double mass : {4.0, 3.5, 3.0, 2.5, 1.7, 1.2, 0.4}) {
    robotics::Joint joint;
    joint.parent = static_cast<int64_t>(joints.size()) - 1;
    if (joints.size() % 2 == 1) joint.axis = {0, 1, 0};
    joint.frame.position = {0, 0, 0.2};
    joint.body = robotics::body_at(mass, {0.01, -0.02, 0.11},
                                   {{{0.01 * mass, 0, 0}, {0, 0.009 * mass, 0}, {0, 0, 0.004 * mass}}});
    joints.push_back(joint);
  }
  return robotics::make_model(joints);
}

}  // namespace bench
