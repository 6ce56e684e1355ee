// scenes/choice/choose.h: which row fitted costs take at a workload, and why.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/choice/model.h"

// A scene lists what its costs may depend on: axes, and numbers made of axes and facts.
//
//   const std::vector<ChoiceFeature> features = {axis_feature("op"), number_feature("mean_row",
//       "entries per row", [](const Workload& w) { return w.fact("mean_row"); })};
//   const AutomaticChoice choice("csrmm", "auto", features, among, axes);
//   choice.picked(w).steps(choice.own(w));
//   show(choice.why(w));    // "K-tiled stream: fitted costs: 45.1 µs expected on an NVIDIA H200 …"

namespace warpscope {

struct ChoiceFeature {
  std::string name;   // in the text of a model: "mean_row"
  std::string label;  // "entries per row"
  // One of the two. No value if it does not apply at this workload.
  std::function<std::optional<double>(const Workload&)> number = nullptr;
  std::function<std::optional<std::string>(const Workload&)> text = nullptr;
};
using ChoiceFeatures = std::vector<ChoiceFeature>;

ChoiceFeature number_feature(std::string name, std::string label,
                             std::function<std::optional<double>(const Workload&)> number);
// A feature that is an axis of the problem: a number, or one of its choices.
ChoiceFeature axis_feature(const Axis& axis);
const ChoiceFeature* find_feature(const ChoiceFeatures& features, std::string_view name);

// The numbers that a table's trees ask for, of a workload. What does not apply is kAbsent.
inline constexpr double kAbsent = -1000;
std::vector<double> feature_values(const CostTable& table, const ChoiceFeatures& features,
                                   const Workload& workload);

// How a row is shown: the label of its variant and its axes, "pair rows, tensor turns=1". A variant
// that is not among `variants` is shown by its name.
std::string label_of(const std::vector<Variant>& variants, const ChosenRow& row);

struct ExpectedTime {
  ChosenRow row;
  double ns = 0;
  bool measured = false;  // not expected: a point of the table is as good as this workload
};
// What the rows should take at a workload, shortest first, without rows that were wrong with one of
// its choices. Where the workload is a point of the table, the fastest row that was measured there
// comes first. Whether a row can run is not asked.
std::vector<ExpectedTime> expected_times(const CostTable& table, const ChoiceFeatures& features,
                                         const Workload& workload);

// Whether the names in a table exist: its features, and its rows among `variants` with their axes.
// error: input, with the names there are.
Result<void> fits_scene(const CostTable& table, const ChoiceFeatures& features,
                        const std::vector<Variant>& variants, const std::vector<Axis>& axes);

// What an automatic row takes at a workload.
class AutomaticChoice {
 public:
  // `among`: every row of the table of `row` must be there. `axes`: of the scene. Without a model
  // or a table (so that one can be fitted), nothing can be picked, and the row cannot run. The
  // model stays where it is, and must outlive the choice.
  AutomaticChoice(const ChoiceModel* model, const std::string& row, ChoiceFeatures features,
                  const std::vector<Variant>& among, std::vector<Axis> axes);
  // With what is compiled in for a scene. Its trees are read when a row is first picked.
  AutomaticChoice(const std::string& built_in, const std::string& row, ChoiceFeatures features,
                  const std::vector<Variant>& among, std::vector<Axis> axes);
  // The first row by expected time that applies and can run on the design device; the first row
  // if none can.
  const Variant& picked(const Workload& workload) const;
  // The workload with the axes that the picked row runs at.
  Workload own(const Workload& workload) const;
  // "label: fitted costs: 12 µs expected on an NVIDIA H200; the next, LABEL, 15 µs", or "label:
  // measured here: 12 µs on an NVIDIA H200"; also a faster row that cannot run here.
  std::string why(const Workload& workload) const;
  const std::vector<Variant>& rows() const { return rows_; }  // that it may take

 private:
  // Rows that can run first, in the order of expected times; the count of those that can.
  struct Order {
    std::vector<ExpectedTime> rows;
    std::size_t can_run = 0;
  };
  Order order(const Workload& workload) const;
  const Variant& row(const std::string& name) const;
  Workload at(const Workload& workload, const ChosenRow& chosen) const;

  const CostTable& table() const;

  std::shared_ptr<const CostTable> table_;  // of the model, which owns it
  std::string built_in_;                    // the scene, if the table has no trees
  std::string device_;
  ChoiceFeatures features_;
  std::vector<Variant> rows_;
  std::vector<Axis> axes_;
};

// What such a row says of itself.
inline constexpr const char* kFittedChoiceSentence =
    "Runs the variant with the shortest predicted time among those that give the same results. The "
    "costs that predict it were fitted to recordings.";

// Gives a row the steps, scratch, constraints and words of whatever row is picked. Of `terms`, the
// scene's, those for which a picked row has a formula of its own are charged as it says.
void act_as_picked(Variant& automatic, const std::shared_ptr<const AutomaticChoice>& choice,
                   const std::vector<WorkTerm>& terms);

}  // namespace warpscope
