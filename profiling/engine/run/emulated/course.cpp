// profiling/engine/run/emulated/course.cpp: which steps of an emulated run are run, and how.
#include "profiling/engine/run/emulated/course.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scenes/base/step_buffers.h"

namespace warpscope {
namespace {

// That the step's stand-ins make.
std::set<std::string> stood_in(const Step& step) {
  std::set<std::string> names;
  for (const StandIn& stand_in : step.stand_ins) names.insert(stand_in.buffer);
  return names;
}

// From the last step to the first: what those after a step need is known before it.
void lay_out_parts(EmulatedCourse& course, const EmulatedBuffers& buffers) {
  const EmulatedView& view = course.view;
  const auto first = course.steps.begin(), end = first + static_cast<std::ptrdiff_t>(course.end);
  const auto stands = [](const Step& step) { return !step.stand_ins.empty(); };
  const bool alone = view.sums && !view.step.empty() && stands(*(end - 1));
  const bool sampled =
      view.sums && !alone && view.step.empty() && !view.grid && std::any_of(first, end, stands);
  course.parts.assign(course.end, {});
  std::set<std::string> wanted;
  for (std::size_t i = course.end; i-- > 0;) {
    const Step& step = course.steps[i];
    std::set<std::string> own = buffers_of(step);
    std::erase_if(own, [&](const std::string& name) { return buffers.is_input(name); });
    EmulatedCourse::Part& part = course.parts[i];
    // Constants are not a buffer: any launch after may read them.
    part.whole = std::holds_alternative<ConstantCopy>(step.action) ||
                 std::any_of(own.begin(), own.end(),
                             [&](const std::string& name) { return wanted.count(name) != 0; });
    const bool traced = view.sums && course.is_traced(step), last = i + 1 == course.end;
    part.stands_in = traced && stands(step) && ((alone && last) || (sampled && !part.whole));
    if (alone) part.runs = last || part.whole;
    if (sampled) part.runs = traced || part.whole;
    if (!part.runs) continue;
    const std::set<std::string> made = part.stands_in ? stood_in(step) : std::set<std::string>{};
    std::set_difference(own.begin(), own.end(), made.begin(), made.end(),
                        std::inserter(wanted, wanted.end()));
  }
}

// What stands in for these buffers, of the step's stand-ins; says it in `sentences`.
Result<void> stand_in(EmulatedBuffers& held_buffers, const Step& step,
                      const std::set<std::string>& buffers, std::vector<std::string>& sentences) {
  for (const StandIn& stand_in : step.stand_ins) {
    if (buffers.count(stand_in.buffer) == 0) continue;
    Result<EmulatedBuffers::Held*> held = held_buffers.find(step, stand_in.buffer);
    if (!held) return tl::unexpected(held.error());
    if ((*held)->spec.role == BufferRole::input) {
      return failure(ErrorKind::internal, "a stand-in cannot replace the input " + stand_in.buffer,
                     step.name);
    }
    if (Result<void> room = held_buffers.admit(**held, (*held)->array->size_bytes()); !room)
      return room;
    stand_in.fill((*held)->bytes());
    held_buffers.memory().set_initialised((*held)->address, true);
    sentences.push_back(stand_in.sentence);
  }
  return {};
}

}  // namespace

bool EmulatedCourse::is_traced(const Step& step) const {
  return std::holds_alternative<KernelLaunch>(step.action) &&
         (view.step.empty() ? step.phase == Phase::run : step.name == view.step);
}

Result<EmulatedCourse> course_of(const Variant& variant, const std::vector<Step>& steps,
                                 const EmulatedView& view, const EmulatedBuffers& buffers) {
  EmulatedCourse course{steps, view};
  const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                 [&](const Step& step) { return course.is_traced(step); });
  if (view.sums && last == steps.rend()) {
    return failure(ErrorKind::usage,
                   view.step.empty() ? "it has no kernel that can be traced"
                                     : "it has no kernel step “" + view.step + "”",
                   variant.name, "choose another variant or step");
  }
  course.end =
      view.sums && !view.whole_run ? static_cast<std::size_t>(steps.rend() - last) : steps.size();
  lay_out_parts(course, buffers);
  return course;
}

Result<void> UnknownBuffers::pass_over(const Variant& variant, const LibraryCall& call,
                                       const std::set<std::string>& touched,
                                       const EmulatedView& view) {
  if (!view.sums) {
    return failure(ErrorKind::usage,
                   "it calls " + call.name + ", and library calls cannot be emulated", variant.name,
                   "verify it on a machine with a GPU");
  }
  for (const std::string& name : touched) {
    if (held_.holds(name) && !held_.is_input(name)) buffers_.insert(name);
  }
  library_ = call.name;
  return {};
}

Result<std::vector<std::string>> UnknownBuffers::replace(const Variant& variant, const Step& step,
                                                         const std::set<std::string>& touched,
                                                         bool traced, bool stands_in) {
  std::set<std::string> lacking;
  std::set_intersection(touched.begin(), touched.end(), buffers_.begin(), buffers_.end(),
                        std::inserter(lacking, lacking.end()));
  std::vector<std::string> sentences;
  if (traced && (stands_in || !lacking.empty())) {
    const std::set<std::string> replaced = stands_in ? stood_in(step) : lacking;
    if (const Result<void> filled = stand_in(held_, step, replaced, sentences); !filled)
      return tl::unexpected(filled.error());
    for (const std::string& name : stood_in(step)) {
      if (replaced.count(name) == 0) continue;
      lacking.erase(name);
      buffers_.erase(name);
    }
  }
  if (lacking.empty()) return sentences;
  return failure(ErrorKind::usage,
                 "step " + step.name + " uses " + *lacking.begin() + ", which " + library_ +
                     " writes, and library calls cannot be emulated",
                 variant.name, "add a host function for the call, or a stand-in for the step");
}

}  // namespace warpscope
