// tests/engine/staged_scene.h: the variants of a scene at one small configuration, on the emulator.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "profiling/engine/run/reference_parts.h"
#include "tests/engine/compiling_test.h"

namespace warpscope {

using Changes = std::map<std::string, std::string>;

// `changes` over `usual` over the defaults: every axis, or the problem's alone.
inline Configuration configuration_of(const Scene& scene, const Configuration& defaults,
                                      const Changes& usual, const Changes& changes) {
  Changes all = usual;
  for (const auto& [axis, value] : changes) all[axis] = value;
  const auto axes = with_values(scene.axes, defaults, all);
  EXPECT_TRUE(axes) << sentence(axes.error());
  return *axes;
}

// The buffers that a reference's steps write for these, as scratch of a variant that runs them.
inline std::vector<BufferSpec> reference_parts_of(const std::vector<BufferSpec>& buffers) {
  std::vector<BufferSpec> parts;
  for (const BufferSpec& buffer : buffers) {
    if (buffer.role == BufferRole::input) continue;
    for (const char* part : kReferenceParts)
      parts.push_back({buffer.name + part,
                       ElementType::f64,
                       buffer.count,
                       BufferRole::scratch,
                       {buffer.count},
                       part});
  }
  return parts;
}

// What a buffer holds after a run without a fault.
template <typename T>
std::vector<T> values_after(EmulatedStage& stage, const Variant& variant,
                            const std::string& buffer) {
  EmulatedStage::View view;
  view.sums = false;
  const auto run = stage.run(variant, view);
  EXPECT_TRUE(run) << variant.name << ": " << sentence(run.error());
  if (run) {
    for (const Fault& fault : run->faults) ADD_FAILURE() << variant.name << ": " << fault.sentence;
  }
  const auto bytes = stage.bytes_of(buffer);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

class StagedScene {
 public:
  StagedScene(Scene scene, const Changes& usual, const Changes& changes)
      : scene_(std::move(scene)),
        axes_(configuration_of(scene_, default_configuration(scene_.axes), usual, changes)) {}

  // Those that run here.
  std::vector<Variant> variants() {
    std::vector<Variant> all;
    for (const Variant& v : scene_.variants) {
      if (!applies(v, axes_)) continue;
      set(v);
      if (!unavailable(v, stage_.workload(), {})) all.push_back(v);
    }
    EXPECT_FALSE(all.empty());
    return all;
  }

  template <typename T = float>
  std::vector<T> output(const Variant& variant, const std::string& buffer) {
    set(variant);
    return values_after<T>(stage_, variant, buffer);
  }

  void expect_correct(const Variant& variant, const std::string& buffer) {
    EXPECT_FALSE(output<std::byte>(variant, buffer).empty());
    const Result<Verdict> verdict = stage_.check(variant);
    ASSERT_TRUE(verdict) << sentence(verdict.error());
    EXPECT_EQ(verdict->outcome, Outcome::correct)
        << variant.name << " at " << problem_key(scene_.axes, axes_) << ": " << verdict->sentence;
  }

  EmulatedStage& stage() { return stage_; }
  const Scene& scene() const { return scene_; }
  const Configuration& axes() const { return axes_; }

 protected:
  void set(const Variant& variant) {
    const Result<void> made = stage_.set(scene_, for_variant(scene_.axes, axes_, variant.name));
    ASSERT_TRUE(made) << sentence(made.error());
  }
  // A group of inputs that is made last and sees what was made before it.
  void make_last(std::vector<std::string> after, std::vector<std::string> arrays,
                 decltype(InputGroup::generate) generate) {
    std::vector<std::string> all_axes;
    for (const Axis& axis : scene_.axes) all_axes.push_back(axis.name);
    scene_.input_groups.push_back(
        {"edit", std::move(all_axes), std::move(after), std::move(arrays), std::move(generate)});
  }

 private:
  Scene scene_;
  Configuration axes_;
  EmulatedStage stage_;
};

}  // namespace warpscope
