// profiling/claims/claim_evaluation.cpp: claims evaluated on the session at hand.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "profiling/claims/claim.h"
#include "profiling/claims/claim_figures.h"
#include "profiling/claims/claim_points.h"
#include "profiling/points/point.h"

namespace warpscope {
namespace {

// Why two points may not be compared; empty: they may. Axes that a claim names differ on
// purpose.
std::string why_not(const Scene& scene, const FigureSource& a, const FigureSource& b) {
  if (a.point == b.point) return "";
  if (a.settings->empty() && b.settings->empty()) return comparable(*a.point, *b.point).reason;
  if (!same_device(a.point->conditions, b.point->conditions))
    return "measured on " + to_text(device_of(a.point->conditions)) + " and on " +
           to_text(device_of(b.point->conditions));
  const Configuration x = with_defaults(scene.axes, a.point->axes),
                      y = with_defaults(scene.axes, b.point->axes);
  for (const Axis& axis : scene.axes) {
    const std::string& name = axis.name;
    if (!of_problem(axis) || a.settings->count(name) != 0 || b.settings->count(name) != 0) continue;
    if ((applies(axis, x) || applies(axis, y)) && x.at(name) != y.at(name))
      return name + " is " + to_text(x.at(name)) + " in one and " + to_text(y.at(name)) +
             " in the other";
  }
  return "";
}

class Evaluation {
 public:
  explicit Evaluation(const ClaimContext& context)
      : context_(context), figures_(context), scene_(*context.scene) {}

  OrMissing<ClaimValue> value(const ClaimNode& node) {
    switch (node.kind) {
      case ClaimNode::Kind::number:
        return number_of(node.number, node.unit);
      case ClaimNode::Kind::words:
        return words_of(node.word);
      case ClaimNode::Kind::name:
        return figures_.named(node);
      case ClaimNode::Kind::call:
        return call(node);
      case ClaimNode::Kind::gathered:
        return gathered(node);
      case ClaimNode::Kind::operation:
        break;
    }
    if (node.word == "not" || node.word == "and" || node.word == "or") return logic(node);
    OrMissing<ClaimValue> left = value(node.parts[0]);
    if (!left) return left;
    if (node.parts.size() == 1) {
      if (left->kind != ClaimValue::Kind::number)
        return nonsense("a minus sign needs a figure after it");
      return number_of(-left->number, left->unit);
    }
    OrMissing<ClaimValue> right = value(node.parts[1]);
    if (!right) return right;
    if (const std::string why = apart(*left, *right); !why.empty())
      return missing("compares points that are not comparable: " + why, "name the axis after @");
    if (node.word == "+" || node.word == "-" || node.word == "*" || node.word == "/")
      return arithmetic(node.word[0], *left, *right);
    if (node.parts.size() == 2) return relation(node.word, *left, *right);
    const OrMissing<ClaimValue> share = value(node.parts[2]);
    return share ? about(*left, *right, *share) : share;
  }

 private:
  // Kleene's logic: what is false whatever the unknown part is, is false.
  OrMissing<ClaimValue> logic(const ClaimNode& node) {
    std::optional<MissingFigure> unknown;
    const bool any = node.word == "or";
    for (const ClaimNode& part : node.parts) {
      const OrMissing<ClaimValue> each = value(part);
      if (!each) {
        if (!unknown) unknown = each.error();
        continue;
      }
      if (each->kind != ClaimValue::Kind::truth)
        return nonsense(node.word + " needs relations on both sides");
      if (node.word == "not") return truth_of(!each->truth);
      if (each->truth == any) return truth_of(any);
    }
    if (unknown) return tl::unexpected(*unknown);
    return truth_of(!any);
  }

  std::string apart(const ClaimValue& a, const ClaimValue& b) const {
    for (const FigureSource& x : a.sources) {
      for (const FigureSource& y : b.sources) {
        if (std::string why = why_not(scene_, x, y); !why.empty()) return why;
      }
    }
    return "";
  }

  OrMissing<ClaimValue> call(const ClaimNode& node) {
    if (node.word.starts_with("best") || node.word.starts_with("fastest"))
      return figures_.best(node);
    std::vector<ClaimValue> parts;
    for (const ClaimNode& part : node.parts) {
      OrMissing<ClaimValue> each = value(part);
      if (!each) return each;
      if (each->kind != ClaimValue::Kind::number) return nonsense(node.word + " needs figures");
      for (const ClaimValue& other : parts) {
        if (const std::string why = apart(other, *each); !why.empty())
          return missing("compares points that are not comparable: " + why,
                         "name the axis after @");
        if (!of_one_unit(other, *each))
          return nonsense(node.word + " of " + other.unit + " and " + each->unit);
      }
      parts.push_back(std::move(*each));
    }
    if (node.word == "ratio") return arithmetic('/', parts[0], parts[1]);
    if (node.word == "abs") {
      ClaimValue made = parts[0];
      made.number = std::abs(made.number);
      return made;
    }
    const auto less = [](const ClaimValue& a, const ClaimValue& b) { return a.number < b.number; };
    return node.word == "min" ? *std::min_element(parts.begin(), parts.end(), less)
                              : *std::max_element(parts.begin(), parts.end(), less);
  }

  // Over the points at which everything that the expression names was recorded.
  OrMissing<ClaimValue> gathered(const ClaimNode& node) const {
    std::vector<PlacedValue> found;
    std::optional<MissingFigure> lacking;
    for (Configuration& axes : recorded_configurations(node, context_)) {
      ClaimContext there = context_;
      there.axes = std::move(axes);
      OrMissing<ClaimValue> each = Evaluation(there).value(node.parts.front());
      if (each) {
        found.push_back({std::move(there.axes), std::move(*each)});
      } else if (!lacking) {
        lacking = each.error();
      }
    }
    if (!found.empty()) return gather(node.word, scene_, found);
    if (lacking) return tl::unexpected(*lacking);
    const OrMissing<ClaimValue> here = value_at_hand(node);
    if (!here) return tl::unexpected(here.error());
    return missing("no such point is recorded", "measure one");
  }
  // Why there is none at the configuration at hand, where there is none anywhere.
  OrMissing<ClaimValue> value_at_hand(const ClaimNode& node) const {
    return Evaluation(context_).value(node.parts.front());
  }

  const ClaimContext& context_;
  ClaimFigures figures_;
  const Scene& scene_;
};

}  // namespace

std::string device_at_hand(const ClaimContext& context) {
  if (!context.device_uuid.empty() || context.session == nullptr) return context.device_uuid;
  const Session& session = *context.session;
  if (session.devices().size() == 1) return session.devices().front().id();
  const std::string problem =
      context.scene == nullptr ? "" : problem_key(context.scene->axes, context.axes);
  const std::string of_roofs =
      session.roofs() == nullptr ? "" : device_of(session.roofs()->conditions).id();
  for (const bool here : {true, false}) {
    std::map<std::string, std::size_t> counts;
    std::string most;
    for (const Measurement* point : session.newest_points()) {
      if (context.scene != nullptr && point->scene != context.scene->name) continue;
      if (here && point->problem != problem) continue;
      if (!on_a_device(*point) && !session.devices().empty()) continue;
      const std::string device = device_of(point->conditions).id();
      ++counts[device];
      if (most.empty() || counts[device] > counts[most]) most = device;
    }
    if (!most.empty()) return counts.count(of_roofs) != 0 ? of_roofs : most;
  }
  return "";
}

const Measurement* exact_point(const ClaimContext& context, const std::string& variant,
                               const Configuration& axes) {
  if (context.session == nullptr || context.scene == nullptr || axes.values().empty())
    return nullptr;
  const Scene& scene = *context.scene;
  return context.session->latest({scene.name, variant, configuration_key(scene.axes, axes, variant),
                                  "", device_at_hand(context)});
}

const Measurement* exact_point(const ClaimContext& context, const std::string& variant) {
  return exact_point(context, variant, context.axes);
}

ClaimResult evaluate(const Claim& claim, const ClaimContext& asked) {
  ClaimContext context = asked;
  context.device_uuid = device_at_hand(asked);
  const OrMissing<ClaimValue> value = Evaluation(context).value(*claim.root);
  if (!value) return {ClaimStanding::unknown, value.error().why, value.error().remedy};
  if (value->kind != ClaimValue::Kind::truth)
    return {ClaimStanding::unknown, "“" + claim.text + "” is a figure, not a relation",
            "correct the claim"};
  return {value->truth ? ClaimStanding::holds : ClaimStanding::does_not_hold, "", ""};
}

ClaimFigureText figure_text(const Claim& expression, const ClaimContext& asked) {
  ClaimContext context = asked;
  context.device_uuid = device_at_hand(asked);
  const OrMissing<ClaimValue> value = Evaluation(context).value(*expression.root);
  if (!value) return {"", value.error().why, value.error().remedy, value.error().command};
  if (value->kind == ClaimValue::Kind::words) return {value->words, "", ""};
  if (value->kind == ClaimValue::Kind::truth)
    return {"", "“" + expression.text + "” is a relation, not a figure", "correct the text"};
  if (!value->unit.empty()) return {format_value(value->number, value->unit), "", ""};
  // Two decimals would leave nothing of a small figure, such as a density.
  constexpr double kSmall = 0.1;
  const bool small = value->number != 0 && std::abs(value->number) < kSmall;
  char number[512];
  std::snprintf(number, sizeof number,
                value->whole ? "%.0f"
                : small      ? "%.3g"
                             : "%.2f",
                value->number);
  return {number, "", ""};
}

}  // namespace warpscope
