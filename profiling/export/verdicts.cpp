// profiling/export/verdicts.cpp: which verdicts are findings, and all verdicts as a table.
#include "profiling/export/verdicts.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <variant>

#include "profiling/figures/csv_text.h"
#include "profiling/points/compare_output.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

constexpr double kHopeless = 1e299;  // and beyond: no ratio, see OutputComparison

std::string number(double value) {
  if (value >= kHopeless) return "inf";
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// What `compute` makes of a point's workload, or `otherwise` where the recording lacks an axis or a
// fact that the scene reads: it can be of another version, or anyone's.
template <typename Function, typename Value>
Value of_workload(const Measurement& m, Function compute, Value otherwise) {
  if (m.facts.empty()) return otherwise;
  try {
    return compute(Workload{m.axes, m.facts});
  } catch (const std::out_of_range&) {
    return otherwise;
  } catch (const std::bad_variant_access&) {
    return otherwise;
  }
}

// "2e-06·accumulation + 1e-30": see Tolerance.
std::string bound_words(const Tolerance& t) {
  std::string text;
  const auto add = [&text](double factor, const char* of) {
    if (factor != 0) text += (text.empty() ? "" : " + ") + number(factor) + of;
  };
  add(t.accumulation, "·accumulation");
  add(t.magnitude, "·magnitude");
  add(t.reference, "·|reference|");
  add(t.absolute, "");
  return text.empty() ? "0" : text;
}

// The rule of every output, each once.
std::string bound_of(const Measurement& m) {
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  const Variant* variant = scene ? find_variant(**scene, m.variant) : nullptr;
  if (variant == nullptr) return "";
  return of_workload(
      m,
      [&](const Workload& workload) {
        std::set<std::string> rules;
        for (const BufferSpec& spec : (*scene)->buffers(workload)) {
          if (spec.role == BufferRole::output)
            rules.insert(bound_words(for_output(tolerance_of(*variant, workload.axes), spec.type)));
        }
        std::string text;
        for (const std::string& rule : rules) text += (text.empty() ? "" : " or ") + rule;
        return text;
      },
      std::string());
}

}  // namespace

bool failed(Outcome outcome) {
  switch (outcome) {
    case Outcome::correct:
    case Outcome::no_reference:
    case Outcome::unchecked:
    case Outcome::nothing_to_do:
    case Outcome::cannot_run:
      return false;
    default:
      return true;
  }
}

bool wrong_as_expected(const Measurement& m) {
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  const Variant* variant = scene ? find_variant(**scene, m.variant) : nullptr;
  if (variant == nullptr) return false;
  const Outcome outcome = m.verdict.outcome;
  const auto* expected = outcome == Outcome::launch_failed ? &variant->expected_launch_failure
                         : outcome == Outcome::wrong || outcome == Outcome::faulted
                             ? &variant->expected_fault
                             : nullptr;
  if (expected == nullptr || !*expected) return false;
  return of_workload(
      m, [&](const Workload& workload) { return (*expected)(workload).has_value(); }, false);
}

bool has_findings(const Session& session) {
  const auto points = session.all_points();
  return std::any_of(points.begin(), points.end(), [](const Measurement* m) {
    return failed(m->verdict.outcome) && !wrong_as_expected(*m);
  });
}

std::string verdict_csv(const std::vector<VerdictsOf>& places) {
  std::set<std::string> axes;
  for (const VerdictsOf& place : places) {
    for (const Measurement* m : place.session->all_points()) {
      for (const auto& [name, value] : m->axes.values()) axes.insert(name);
    }
  }
  std::vector<std::string> header = {"scene", "variant"};
  header.insert(header.end(), axes.begin(), axes.end());
  header.insert(header.end(),
                {"where", "device", "device_uuid", "verdict", "finding", "largest_error", "bound",
                 "elements_checked", "elements_beyond_bound", "sentence", "remedy"});
  std::string csv = csv_row(header);
  for (const VerdictsOf& place : places) {
    for (const Measurement* m : place.session->all_points()) {
      const Verdict& v = m->verdict;
      std::vector<std::string> cells = {m->scene, m->variant};
      for (const std::string& axis : axes)
        cells.push_back(m->axes.has(axis) ? to_text(m->axes.at(axis)) : "");
      const bool checked = v.checked_elements > 0;
      cells.insert(cells.end(),
                   {place.where, m->conditions.device, m->conditions.device_uuid,
                    to_text(v.outcome), failed(v.outcome) && !wrong_as_expected(*m) ? "yes" : "no",
                    checked ? number(v.worst_error_ratio) : "", bound_of(*m),
                    checked ? std::to_string(v.checked_elements) : "",
                    checked ? std::to_string(v.mismatches) : "", v.sentence, v.remedy});
      csv += csv_row(cells);
    }
  }
  return csv;
}

}  // namespace warpscope
