// scenes/base/scene.h: what can be studied: a scene is values and functions, read top to bottom.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenes/base/array.h"
#include "scenes/base/axis.h"
#include "scenes/base/device_units.h"
#include "scenes/base/step.h"
#include "scenes/host/result.h"

// The order in which a program uses a scene:
//   Configuration c = *configured(scene, variant.name, changes);  // a file's, defaults too
//   scene.admit(c)                                               // refuse before any work
//   for (group : scene.input_groups) group.generate(c, inputs, facts)   // host arrays, facts
//   Workload w{c, facts};
//   scene.buffers(w), variant.scratch(w)                         // what to allocate
//   variant.steps(w)                                             // what to run
//   reference.steps(w), variant.tolerance                        // what to compare with
//   evaluate(term, w, variant)                                   // what it should cost

namespace warpscope {

// Quantities known only once the inputs exist: "nnz", "longest_row", "distinct_columns".
using Facts = std::map<std::string, double>;

// Facts that sum over inputs which are made by page: groups of inputs are made, in their order,
// until one has the fact that is asked for.
class LateFacts {
 public:
  // What one group adds to the facts before it. No value: it cannot be made, nor can later ones.
  // Groups that do not change may be in the facts of several workloads, and are made once.
  class Group {
   public:
    using Make = std::function<std::optional<Facts>(const Facts& before)>;
    Group(std::string name, Make make) : name_(std::move(name)), make_(std::move(make)) {}
    const std::string& name() const { return name_; }
    const std::optional<Facts>& facts(const std::function<Facts()>& before) const;

   private:
    std::string name_;
    Make make_;
    mutable std::once_flag once_;
    mutable std::optional<Facts> facts_;
  };
  using Groups = std::vector<std::shared_ptr<const Group>>;
  LateFacts(Facts known, Groups groups) : known_(std::move(known)), groups_(std::move(groups)) {}
  std::optional<double> find(const std::string& name) const;
  Facts all() const;  // of all groups, without those known before
  const Groups& groups() const { return groups_; }

 private:
  // Calls until it returns true, or a group cannot be made.
  void each(const std::function<bool(const Facts&)>& take) const;
  Facts known_;
  Groups groups_;
};

// A configuration with the facts of its inputs: all that steps, sizes and formulas depend on.
struct Workload {
  Configuration axes;
  Facts facts;
  std::shared_ptr<const LateFacts> late = nullptr;  // what `facts` lacks; null: nothing
  std::int64_t integer(const std::string& axis) const { return axes.integer(axis); }
  double real(const std::string& axis) const { return axes.real(axis); }
  const std::string& text(const std::string& axis) const { return axes.text(axis); }
  double fact(const std::string& name) const;  // throws std::out_of_range: there is none
  Facts all_facts() const;                     // late ones too
};

// Inputs that are made together. A group is made again only when one of its axes has moved or a
// group in `after` was made again, so moving n does not reshuffle the structure of A.
struct InputGroup {
  std::string name;  // "structure"
  std::vector<std::string> axes;
  std::vector<std::string> after;
  std::vector<std::string> arrays;  // names of the inputs it makes: the engine uploads those anew
  // Writes its arrays into `inputs` and what it learnt into `facts`. May leave out arrays that
  // `elements` can make, and be null where there are no others and no facts. error: input.
  std::function<Result<void>(const Configuration&, Inputs& inputs, Facts& facts)> generate;
  // For arrays whose elements are functions of their index alone: writes those from `first` on that
  // fill `bytes`, the same as `generate` and `device_steps` would. Emulated blocks then make only
  // the pages they touch, and facts are made late: those of such a group are for the work model
  // alone, never for sizes and steps. Called from several threads. Null: `generate` makes all.
  std::function<void(const Workload&, const std::string& array, std::int64_t first,
                     std::span<std::byte> bytes)>
      elements;
  // Makes the arrays on the device, where they never pass through the host: kernels that write
  // exactly what `elements` does. Null: they are uploaded.
  std::function<std::vector<Step>(const Workload&)> device_steps;
  // Whether `elements` makes this array here: data of a file is not a function of the index. Null:
  // always, if the array exists.
  std::function<bool(const Workload&, const std::string& array)> by_index;
  // Why arrays are made whole, where they are: "the columns of a row are sorted".
  std::string whole_because;
  // What has to be there before the first page: the arrays that `by_index` leaves out, and facts
  // that sizes and steps ask for. Null: nothing, and a group that others come after is made whole.
  std::function<Result<void>(const Configuration&, Inputs& inputs, Facts& facts)> outline;
};

// One element of the reference in double precision with the two scales of its error bound.
struct ReferenceValue {
  double value = 0;
  double accumulation = 0;  // grows with rounding in the sum; most often Σ|a||b|·√(number of terms)
  double magnitude = 0;  // Σ|a||b|: grows with rounding of the inputs
};

// An independent computation of every output. For an output buffer "c" the device steps write the
// f64 buffers "c.reference", "c.accumulation" and "c.magnitude" (same count), which the engine
// allocates; `host` computes chosen elements on the CPU, to check the device reference itself and
// to verify without a GPU (null: the emulator runs the steps). Its inputs lack arrays of `elements`
// beyond 4 GiB together: a reference of such a scene asks that function for those it needs.
struct Reference {
  std::string name, sentence;  // "ieee", what it counts
  std::function<std::vector<Step>(const Workload&)> steps;
  std::function<void(const Workload&, const Inputs&, const std::string& output,
                     std::span<const std::int64_t> elements, std::span<ReferenceValue> values)>
      host;
  // Its error is reported beside the verdict and judges nothing ("exact coordinates" beside a
  // reference that rounds as the kernel does).
  bool reported_only = false;
  std::function<bool(const Configuration&)> applies = nullptr;  // of one reported; null: yes
  // What its device steps keep between them (maps of a network), under names that no buffer of the
  // scene has: they exist while the reference is made, and `estimate_bytes` counts them. Null:
  // none.
  std::function<std::vector<BufferSpec>(const Workload&)> scratch = nullptr;
  // Whether `host` takes seconds at most here. Where it does not, nothing holds the device steps to
  // it, which the verdict says, and the emulator judges nothing. Null: everywhere.
  std::function<bool(const Workload&)> host_reaches = nullptr;
};

// An output element passes when !(|out − ref| > bound) is true, NaN handled apart:
// bound = accumulation·ref.accumulation + magnitude·ref.magnitude + reference·|ref| + absolute.
struct Tolerance {
  double accumulation = 0;
  double magnitude = 0;
  double reference = 0;
  double absolute = 0;
  bool bit_exact = false;  // every bit equals the reference's, in the output's own type
};

// What a person can do about it in one click: other values of axes.
struct AxisChange {
  std::string sentence;                       // "use 256 threads"
  std::map<std::string, std::string> values;  // axis → typed text
};

// Why a variant cannot run somewhere. `rule` is shown by `warpscope list`; `violated` gives the
// sentence with this workload's numbers in it, or nothing.
struct Constraint {
  std::string rule;
  std::function<std::optional<std::string>(const Workload&, const DeviceLimits&)> violated;
  // Null, or no value: no change of axes helps.
  std::function<std::optional<AxisChange>(const Workload&, const DeviceLimits&)> remedy = {};
  bool of_patience = false;  // it only keeps a measurement short: a training is long anyway
};

// Why a figure of the work model or of the emulator is not what the device counts. It belongs to
// the variant, so that every comparison of the two can say it. It does not explain a figure on the
// other side of the counter.
enum class Side { above, below };  // of the counter, where the figure lies
struct KnownDifference {
  std::string figure;  // "model.l2_bytes", "emulated.shared.wavefronts"
  Side side = Side::above;
  std::string reason;  // one sentence: what the figure leaves out, or what the counter adds
  // How far the figure may lie on that side, as a share of the counter: 0.12 explains figures from
  // 0 to 12 % above. Beyond it the difference is a finding, so it stands a little above what was
  // seen. source: the recorded sessions.
  double most_ratio = 0;
  // If the cause must show (accesses that the compiler joins in pairs halve the counter), a
  // difference below this share that does not agree is a finding too.
  double least_ratio = 0;
  std::function<bool(const Configuration&)> where = nullptr;  // the cause is there; null: at all
};

// A formula of a variant's own in place of its scene's: what it skips, pads, reads again.
struct OwnFormula {
  std::string term;  // id of the WorkTerm
  // No value if it is not known.
  std::function<std::optional<double>(const Workload&)> value;
};

// Variants with the same required accuracy and a common baseline.
struct League {
  std::string name;              // "fp32", "tf32": command line and sessions
  std::string label, sentence;   // "FP32", "Meets the bound of single precision."
  std::string baseline;          // the variant that others of it are compared with: see catalogue.h
  std::string library_baseline;  // the library variant of its goals; empty: none
};

// Variants of a family, of which only some are in view before the group is opened.
struct VariantGroup {
  std::string family, label;  // "seed", "published"
  std::vector<std::string> in_view;
};

struct Variant {
  std::string name;         // "warp_row_zero_test": command line and sessions
  std::string label;        // "warp-row zero test"
  std::string sentence;     // what it does, in one sentence
  std::string look_at;      // what a student should look at
  std::string family;       // the set by which claims name it ("family.ours"); shown as it is
  bool own_kernels = true;  // kernels of ours stand among its run steps: to be traced, to be shown
  std::string accuracy;   // "f32 accumulation", "TF32 products": the class shown beside the verdict
  std::string league;     // name of a League of its scene; empty: the scene has none
  std::string reference;  // name of the Reference it is compared with
  std::vector<std::string> reported_references;  // whose errors stand beside its verdict
  Tolerance tolerance;
  std::function<Tolerance(const Configuration&)> tolerance_at;  // by a choice (dtype); null: one
  bool repeatable = true;  // two runs on one input give the same bits
  // Takes seconds a run: one sample is its time, and no sweep has it.
  bool measured_once = false;
  Pipe pipe = Pipe::fp32;                             // which unit bounds its arithmetic
  std::function<Pipe(const Configuration&)> pipe_at;  // by a choice (dtype); null: one
  std::string own_roof;  // the SceneRoof that its accesses stand below; empty: the levels' alone
  std::function<std::string(const Configuration&)> own_roof_at;  // by a choice; null: one
  std::vector<OwnFormula> own_formulas;                          // at most one for a term
  std::vector<Constraint> constraints;
  // Whether it computes what this configuration asks for (op, dtype); null: always. A variant that
  // does not apply is hidden, one whose constraint is violated is shown with the reason.
  std::function<bool(const Configuration&)> applies;
  std::function<std::vector<BufferSpec>(const Workload&)> scratch;  // null: none
  std::function<std::vector<Step>(const Workload&)> steps;
  // How they are submitted; null: on a stream.
  std::function<Submission(const Configuration&)> submission;
  // For automatic choices: what was chosen here and why. Null: nothing is chosen.
  std::function<std::string(const Workload&)> choice;
  // For lessons that compute a wrong result: why it must be wrong here, or no value if it is right.
  // Its verdict is “wrong” like any other's; commands and tests take it for a finding only where
  // the two disagree. Null: it must be right everywhere.
  std::function<std::optional<std::string>(const Workload&)> expected_fault;
  // For lessons that ask a multiprocessor for more than it has: why the launch must fail here, or
  // no value if it starts. Its verdict is “launch failed” like any other's; commands and tests take
  // it for a finding only where the two disagree. Null: it must start everywhere.
  std::function<std::optional<std::string>(const Workload&)> expected_launch_failure = nullptr;
  // At most one for a figure, side and configuration.
  std::vector<KnownDifference> known_differences;
  std::string parent = {};  // the variant that it is an edited copy of; empty: of none
};

// A ceiling that a scene measures itself: the best rate of an access shape that no general roof
// has. It depends on no axis; its buffers are filled with random numbers.
struct SceneRoof {
  std::string name;         // "gather_64"
  std::string sentence;     // what it measures: "16-byte lanes, random 64-byte segments of 200 KB"
  Level level = Level::l1;  // whose bytes it bounds
  std::function<std::vector<BufferSpec>(const DeviceLimits&)> buffers;
  // One run; one kernel a step, whose source stands with the scene's kernels.
  std::function<std::vector<Step>(const DeviceLimits&)> steps;
  std::function<double(const DeviceLimits&)> bytes;  // that one run moves at `level`
  // What counters say of one run that did this work, by metric id ("l1.sectors_load").
  std::function<std::map<std::string, double>(const DeviceLimits&)> counts;
};

// A row of the work model: what a workload must cost by arithmetic alone, as far as neither
// counters nor the emulator answer it. Terms that others read have fixed ids: model.flops,
// model.dram_bytes, model.dram_read_bytes, model.l2_read_bytes. Others are the scene's own.
struct WorkTerm {
  std::string id;        // "model.dram_bytes"
  std::string label;     // "compulsory DRAM bytes"
  std::string unit;      // "B", "FLOP", "1"
  std::string sentence;  // the formula in words, with its source
  // For variants without their own formula. No value if the term has no meaning here. Null: only
  // variants with their own formula have the term.
  std::function<std::optional<double>(const Workload&, const Variant&)> formula;
};

// The bytes that multiprocessors read from L2, which no emulation can determine. A scene states one
// expectation (the term model.l2_read_bytes) with its assumption, and counters check that it is
// within its bound. Written bytes need no expectation: L1 sends every stored sector on.
struct L2Expectation {
  std::string assumption;    // "L1 has no row of B twice"; it is the sentence of the term
  double bound_ratio = 0.1;  // how far the expectation may lie from the counter, as a share of it
};

// A claim of the article that the scene retells, beside what the session at hand shows.
struct ArticleClaim {
  std::string said;        // "the batch kernel reaches 0.36× of repeated single frames"
  std::string expression;  // see profiling/claims/claim.h
  std::string shown;       // with figures in braces: "{ratio} on {device}"
};

// A picture of what a run produced, made on the host of the buffers it reads.
struct PictureSpec {
  std::string name, caption;
  std::vector<std::string> reads;
  std::function<Raster(const Workload&, const HostBuffers&)> draw;
};

struct HardCase;      // hard_case.h
struct Training;      // scenes/training.h
struct ArticleTable;  // scenes/article_table.h
struct Preset {
  std::string name, sentence;
  std::map<std::string, std::string> values;  // axis → typed text
};

struct Scene {
  std::string name, title;  // "csrmm", "Sparse CSR matrix times dense matrix"
  std::string story;        // two or three sentences
  std::vector<Axis> axes;
  std::vector<Preset> presets;
  std::function<std::vector<HardCase>()> hard_cases;  // of `verify --hard`; null: it states none
  std::vector<InputGroup> input_groups;
  // Writes the values that an input decides over the typed ones (m and k of a file). Null: none.
  // error: input, environment.
  std::function<Result<Configuration>(const Configuration&)> settle;
  // Cheap checks that need no inputs. error: usage or input, with the remedy.
  std::function<Result<void>(const Configuration&)> admit;
  // Bytes of inputs, outputs and reference buffers on the device, known before generating.
  std::function<std::int64_t(const Configuration&)> estimate_bytes;
  // The part of these bytes for inputs that are not made by page. Null: there are none.
  std::function<std::int64_t(const Configuration&)> estimate_whole_bytes;
  // Inputs and outputs (not the reference buffers, not a variant's scratch).
  std::function<std::vector<BufferSpec>(const Workload&)> buffers;
  bool steps_need_facts = true;  // false: buffers and steps are functions of the axes alone
  // A sentence when there is nothing to compute ("m is 0: the product is empty"), else nothing.
  std::function<std::optional<std::string>(const Workload&)> nothing_to_do;
  std::vector<Reference> references;
  std::vector<WorkTerm> work_terms;
  std::vector<SceneRoof> roofs;      // beside those of every device
  std::vector<Variant> variants;     // in teaching order
  std::vector<League> leagues;       // empty: one accuracy for all variants
  std::vector<VariantGroup> groups;  // that Variants folds; empty: all are in view
  std::optional<L2Expectation> l2_expectation;
  std::vector<ArticleClaim> article;
  std::function<std::vector<ArticleTable>()> tables;  // that a report fills; null: none
  std::vector<CurveSpec> curves;
  std::vector<PictureSpec> pictures;
  std::function<PixelMaps(const Workload&)> pixel_maps;  // that an array holds; null: none does
  std::shared_ptr<const Training> training;              // null: its steps learn nothing
  std::string baseline;  // the variant others are compared with, where it applies
  std::string library_baseline, library_baseline_elsewhere;  // of goals; where it does not apply
  std::string sweep_metric;  // Sweep's first, where the time would mislead; empty: the warm time
  std::string fork_of = {};  // the built-in scene whose rows it has; empty: they are its own
};

const Variant* find_variant(const Scene& scene, std::string_view name);
const Reference* find_reference(const Scene& scene, std::string_view name);

bool applies(const Variant& variant, const Configuration& axes);
bool applies(const Reference& reference, const Configuration& axes);
// Why `figure` may lie on this side of the counter at a configuration. Null: it may not.
const KnownDifference* known_difference(const Variant& variant, std::string_view figure, Side side,
                                        const Configuration& axes);

// Says why a figure may lie on that side of the counter, and how far, in place of what was said
// before of the same figure and side at all configurations.
void explain(Variant& variant, KnownDifference known);
void explain(Variant& variant, std::string figure, Side side, double most_ratio, std::string reason,
             double least_ratio = 0);

// Gives the variant a formula of its own for a term, in place of the one it had.
void charge(Variant& variant, std::string term,
            std::function<std::optional<double>(const Workload&)> value);
// What the variant costs by this term: by its own formula, else by the scene's.
std::optional<double> evaluate(const WorkTerm& term, const Workload& workload,
                               const Variant& variant);
// The term of L2's expectation.
inline constexpr const char* kL2ReadTerm = "model.l2_read_bytes";
WorkTerm term_of(const L2Expectation& expectation);

// The unit that bounds a variant's arithmetic at this configuration.
Pipe pipe_of(const Variant& variant, const Configuration& axes);
// The roof of its scene that the variant stands below at this configuration; empty: none.
std::string own_roof_of(const Variant& variant, const Configuration& axes);

// The scene's defaults with a person's changes and what a file decides, completed for the variant:
// what it runs at. error: usage (an axis, a value), input and environment (a file).
Result<Configuration> configured(const Scene& scene, std::string_view variant,
                                 const std::map<std::string, std::string>& changes);

// What the outputs of a variant are compared with at this configuration.
Tolerance tolerance_of(const Variant& variant, const Configuration& axes);

// The variant that takes the place of `wanted` at this configuration: itself where it applies, else
// the scene's baseline, else the first of the ladder that applies, but for those that are measured
// once: they come last. Null: none applies.
const Variant* variant_at(const Scene& scene, const Configuration& axes, std::string_view wanted);

// A configuration at which the variant applies: `base`, or `base` with another value of one of its
// choice axes (op = T). No value if no single choice is enough.
std::optional<Configuration> where_applies(const Scene& scene, const Variant& variant,
                                           const Configuration& base);

// Makes the inputs of `groups` whose axes differ between `previous` and `next` (all when `previous`
// is null) and of the groups after them. Returns the names of the groups made. error: input,
// resource.
Result<std::vector<std::string>> regenerate_inputs(const Scene& scene,
                                                   const Configuration* previous,
                                                   const Configuration& next, Inputs& inputs,
                                                   Facts& facts);

// The first reason why `variant` cannot run here, or nothing.
std::optional<std::string> unavailable(const Variant& variant, const Workload& workload,
                                       const DeviceLimits& device);

// The name of a point as NVTX and CUPTI ranges carry it: "csrmm/float4_columns/m=…,n=128".
std::string range_name(const Scene& scene, const Variant& variant, const Configuration& axes);

}  // namespace warpscope
