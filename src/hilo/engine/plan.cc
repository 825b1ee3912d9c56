// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan.h"

#include <algorithm>

namespace hilo::engine {

uint32_t add_function(Plan& plan, const CodeFunction& function) {
  const auto object = std::ranges::find(plan.objects, function.object);
  const auto number = static_cast<uint32_t>(object - plan.objects.begin());
  if (object == plan.objects.end()) plan.objects.push_back(function.object);
  PlannedFunction planned{number, function.name};
  const auto known = std::ranges::find(plan.functions, planned);
  const auto place = static_cast<uint32_t>(known - plan.functions.begin());
  if (known == plan.functions.end()) plan.functions.push_back(std::move(planned));
  return place;
}

namespace {

/// For constant and mutable plans.
template <typename AnyPlan, typename Visitor>
void visit_lists(AnyPlan& plan, const Visitor& visit) {
  visit(plan.steps);
  for (auto& loop : plan.loops) {
    visit(loop.condition);
    visit(loop.body);
  }
  for (auto& branches : plan.branches) std::ranges::for_each(branches.lists, visit);
  for (auto& loop : plan.whole_loops) visit(loop.handed_out);
}

}  // namespace

void for_each_list(Plan& plan, const std::function<void(StepList&)>& visit) { visit_lists(plan, visit); }
void for_each_list(const Plan& plan, const std::function<void(const StepList&)>& visit) { visit_lists(plan, visit); }

}  // namespace hilo::engine
