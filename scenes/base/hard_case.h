// scenes/base/hard_case.h: sizes and inputs at which a kernel that is nearly right is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// A scene lists its hard cases in one place. `warpscope verify --hard` runs every variant at every
// one on the emulator and compares it with the scene's own reference, which sees the same inputs.
//
//   std::vector<HardCase> axpy_hard_cases() {
//     return {{"ragged", "One element more than a block of 256.", {{"n", "257"}}},
//             {"not_finite",
//              "A NaN and an infinity times a factor of zero.",
//              {{"n", "100"}, {"factor", "0"}},
//              [](const Workload&, Inputs& inputs) { poke(inputs.at("x"), 3, kNotANumber); }}};
//   }
//   scene.hard_cases = axpy_hard_cases;

namespace warpscope {

struct HardCase {
  std::string name;      // "ragged_33": command line, tables; unique within a scene
  std::string sentence;  // what is hard about it
  // Axis → typed text. A variant that does not apply there runs at another value of one choice
  // (op, dtype), where the case does not name that axis.
  std::map<std::string, std::string> values;
  // Changes inputs after they were made, before references and kernels see them. All arrays are
  // there, whole. Null: they stay as they are.
  std::function<void(const Workload&, Inputs& inputs)> change = nullptr;
  std::vector<std::string> variants = {};  // that run; empty: all
  std::map<std::string, std::string> left_out =
      {};  // … but for these: variant → why, in a sentence
  // Variants that promise the bits of another one, whatever their tolerance: variant → the other.
  std::map<std::string, std::string> same_bits_as = {};
  // Runs after a run at these values (of axes; others as in `values`) with unchanged inputs, whose
  // __device__ variables stay: what that run left must not matter. Empty: it runs alone.
  std::optional<std::map<std::string, std::string>> behind = std::nullopt;
  // For arrays of 2^31 elements and more: the elements of every output that are compared with the
  // reference. Inputs, outputs and references are made by page. Null: all elements.
  std::function<std::vector<std::int64_t>(const Workload&, const Inputs&)> elements = nullptr;
  // The blocks of every kernel that run, below 0 from the last on: those that write `elements`.
  // Empty: all.
  std::vector<std::int64_t> blocks = {};
};

// The cases of a scene; none where it states none.
std::vector<HardCase> hard_cases_of(const Scene& scene);
// error: usage, with the names that there are.
Result<HardCase> find_hard_case(const Scene& scene, const std::string& name);

// A variant at a case, as a job takes it.
struct HardRun {
  std::string hard_case;
  const Variant* variant = nullptr;
  std::map<std::string, std::string> axes;  // changes from the scene's defaults
};
// What runs of these variants at these cases, neighbours with equal inputs. A variant that applies
// nowhere near a case is left out there. error: usage (a case names an axis, a value or a variant
// that is not there).
Result<std::vector<HardRun>> hard_runs(const Scene& scene, const std::vector<HardCase>& cases,
                                       const std::vector<const Variant*>& variants);

inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An element of an array, rounded to its type; one that is not there is a defect and throws.
void poke(HostArray& array, std::int64_t element, double value);

}  // namespace warpscope
