// profiling/claims/claim.h: relations that a text states, as expressions over the session at hand.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/base/scene.h"

// A sentence that says “slower”, “fits in L2” or “the fastest” is true on one device and false on
// another. Its relation is written as an expression, which holds, does not hold, or is unknown
// because a figure is missing; claim_text.h says how texts contain them.
//
//   const Result<Claim> claim = parse_claim("auto.time.warm <= 1.03 * best(like.auto)", scene);
//   const ClaimResult result = evaluate(*claim, {&scene, &session, axes});
//   if (result.standing == ClaimStanding::unknown) show(result.why, result.remedy);
//
// Figures, each of one point of this device, correct and not partial:
//   float4_columns.time.warm          of a variant, by metric id, at the configuration at hand
//   float4_columns@n=64.time.warm     … elsewhere; several axes: @n=64,p=0.05
//   k_tiles.binds   k_tiles.binds.cold   the level whose roof limits it: 'DRAM', 'L2', 'FP32' …
//   k_tiles.binding_ratio   .cold     its share of that roof: 1.0 stands on it
//   k_tiles.outcome                   'correct', 'cannot run' … as verdicts have it
//   k_tiles.reference                 the reference that its outputs are compared with, by name
//   step_nchw.layer.Conv1.phase.wgrad.time   of the run steps with these tags, each timed alone:
//   step_nchw.kernel.relu_gradient.count     … or with this kernel; step_nchw.steps.time of all
//   grid3d_shared_pattern.steps.shared_bytes   static and dynamic, of the kernel that takes longest
//   step_nchw.epoch.time   .steps     of a training there: the median whole epoch, end to end
//   device.name   device.l2_bytes   device.multiprocessors   device.capability (90)
//   device.shared_bytes_per_block   device.memory_bytes
//   roof.l2   roof.l1   roof.shared   roof.issue   roof.dram.copy (read, write, triad, scale)
//   roof.pipe.fp32   (half2, dp4a, mma_bf16, wgmma_tf32 …)
//   axis.n   axis.op                  the configuration at hand
//   fact.nnz   fact@p=0.05.nnz        of its inputs, or of those elsewhere
// Sets of variants: names, `family.library`, `league.fp32`, `all`, and `like.auto`, the variants
// with the same reference and accuracy as that one. Variants that do not apply here, or whose
// output is not correct, are skipped; one that was not measured makes the answer unknown.
//   best(family.ours)   best.cold(k_tiles, float4_columns)   the shortest time
//   fastest(all)        fastest.cold(…)                      whose it is, by label
// Over the points that the session has: a figure or a relation, evaluated at every configuration of
// the problem at which everything that it names was recorded. Settings of points keep only the
// points with one of these values of an axis of the problem. Variants have their own default axes
// unless their names set something else.
//   mean(ratio(a.time.cold, b.time.cold) over points)        also min(… over points), max(… over …)
//   count(a.time.warm < b.time.warm over points@n=64/128)    at how many the relation holds
//   at_max(ratio(…) over points)                             where: “leds=64, frames=16”;
//                                                            also at_min
//   points(ratio(…) over points)                             which: “15 points: frames=1, 2, …”
// Functions: min, max, abs, ratio(a, b). Numbers: 1.03, 50 %, 26 MB, 60 MiB, 40 us, 2000 GB/s,
// 51 MFLOP, 0.025 FLOP/B, 15 TFLOP/s. Bytes over bytes per second, {1 GB / roof.l2}, are a time.
// Texts: 'NT'. Then  + - * /,  < <= > >= = != ~,  not, and, or, ( ).
//
// For times `a < b` means that a is faster beyond the noise, `a > b` slower, `a <= b` not slower,
// and `a ~ b` the same, all by the verdict of timing.h; so do 1.5 * a < b and ratio(a, b) < 2. `a ~
// b` of other figures allows 1 %; inside the noise `~` is unknown. For any figures, `a ~ b within
// 10 %` means that they differ by at most that share of b on either side, as needed by a text that
// quotes a figure. Two points are compared with each other only where they are comparable; the axes
// that a claim itself names after @ may differ.

namespace warpscope {

struct RoofSet;
class SourceStandings;

// Facts of problems that were looked up, by scene, problem and name; empty: no point has it.
using KnownFacts =
    std::map<std::tuple<std::string, std::string, std::string>, std::optional<double>>;

// What a claim is evaluated on.
struct ClaimContext {
  const Scene* scene = nullptr;
  const Session* session = nullptr;    // null: none at hand, every figure is unknown
  Configuration axes;                  // the configuration at hand; empty: none
  std::string device_uuid;             // of a session of several devices; empty: device_at_hand
  std::span<const RoofSet> lent = {};  // roofs that an old session may borrow: see roof_join.h
  // Tells figures of an earlier source, which take part in no claim; null: none is told.
  SourceStandings* sources = nullptr;
  // Where facts are kept that were looked up, as long as the session stays as it is; null: nowhere.
  KnownFacts* facts = nullptr;
};

enum class ClaimStanding { holds, does_not_hold, unknown };
const char* to_text(ClaimStanding standing);  // "holds", "does not hold", "not known"

struct ClaimResult {
  ClaimStanding standing = ClaimStanding::unknown;
  std::string why;     // of unknown: "needs l2.bytes of warp-row zero test", and …
  std::string remedy;  // … what to do about it
};

// A name of an expression: head.path or head@axis=value.path.
struct ClaimName {
  std::string head, path;
  std::map<std::string, std::string> settings;  // after @
};

// One node of an expression.
struct ClaimNode {
  enum class Kind { number, words, name, call, gathered, operation };
  Kind kind = Kind::number;
  double number = 0;
  std::string unit;  // of a number
  std::string word;  // of words, and the function or operator
  ClaimName name;
  // Where figures are gathered over points: the values that an axis may have; empty if any.
  std::map<std::string, std::vector<std::string>> places = {};
  std::vector<ClaimNode> parts;
  std::size_t at = 0;  // its place in the text, from 0
};

struct Claim {
  std::string text;
  std::shared_ptr<const ClaimNode> root;
};

// error: input, with the place (“at 14: …”) and, for a name that is not known, the nearest one.
Result<Claim> parse_claim(std::string_view text, const Scene& scene);

ClaimResult evaluate(const Claim& claim, const ClaimContext& context);

// The value of an expression that is a figure (“{…}” in texts): as format_value writes it, or why
// there is none.
struct ClaimFigureText {
  std::string text;  // "118.8 µs"; empty: missing
  std::string why, remedy;
  std::string command = {};  // that measures what is missing, where nothing else is needed
};
ClaimFigureText figure_text(const Claim& expression, const ClaimContext& context);

// A figure of a variant that an expression needs at the configuration at hand.
struct NeededFigure {
  std::string variant, id;
  bool operator==(const NeededFigure&) const = default;
};
// Those of an expression, in the order in which they stand; sets of variants by what applies.
std::vector<NeededFigure> needed_figures(const Claim& claim, const Scene& scene,
                                         const Configuration& axes);

// The point of a variant at exactly these axes, of the context's device. Axes that the recording
// lacks count with the value that the kernels had then. Null: not measured there.
const Measurement* exact_point(const ClaimContext& context, const std::string& variant,
                               const Configuration& axes);
const Measurement* exact_point(const ClaimContext& context, const std::string& variant);
// UUID, or name, of the device that the context is about: the chosen one; else the session's only
// one; else of those that measured the configuration at hand, or where none did the scene, the one
// that the newest roofs are of, or the one that measured most. Empty: none did.
std::string device_at_hand(const ClaimContext& context);

// "fp32", "mma_bf16": a pipe as claims name it.
std::string pipe_word(Pipe pipe);
// The configuration with what a name sets after @. error: usage.
Result<Configuration> configuration_of(const ClaimName& name, const Scene& scene,
                                       const Configuration& axes);
// The variants that a set names and that apply at the axes. No value: the node names no set.
std::optional<std::vector<const Variant*>> variants_of(const ClaimNode& node, const Scene& scene,
                                                       const Configuration& axes);

}  // namespace warpscope
