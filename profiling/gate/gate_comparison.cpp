// profiling/gate/gate_comparison.cpp: what kernels do now beside what is recorded of them.
#include "profiling/gate/gate_comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "profiling/figures/metric.h"
#include "profiling/listings/line_diff.h"

namespace warpscope {
namespace {

std::int64_t count_of(const GateCounts& counts, std::string_view id) {
  const auto found = counts.find(id);
  return found == counts.end() ? 0 : found->second;
}

std::vector<std::string> texts_of(const std::vector<GateLine>& lines) {
  std::vector<std::string> texts;
  for (const GateLine& line : lines) texts.push_back(line.file + "\n" + line.text);
  return texts;
}

// Lines are the same if their texts are, in the order of both: their numbers move. `count` empty:
// lines whose text or warp instructions changed.
std::vector<GateLineChange> line_changes(const GateRecord& before, const GateRecord& after,
                                         std::string_view count, bool more_is_better) {
  std::vector<GateLineChange> changes;
  const bool any = count.empty();
  if (any) count = "instructions";
  for (const DiffRow& row : line_diff(texts_of(before.lines), texts_of(after.lines))) {
    GateLineChange change;
    if (row.left > 0) {
      const GateLine& line = before.lines[static_cast<std::size_t>(row.left - 1)];
      change = {line.file, line.text, 0, count_of(line.counts, count), 0};
    }
    if (row.right > 0) {
      const GateLine& line = after.lines[static_cast<std::size_t>(row.right - 1)];
      change = {line.file, line.text, line.line, change.before, count_of(line.counts, count)};
    }
    change.instructions = any;
    const bool other_text = any && (row.left <= 0 || row.right <= 0);
    if (change.before != change.after || other_text) changes.push_back(std::move(change));
  }
  const auto share = [&](const GateLineChange& c) {
    return more_is_better ? c.before - c.after : c.after - c.before;
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const auto& a, const auto& b) { return share(a) > share(b); });
  return changes;
}

// ", +1.5 %"; empty: there is nothing to take a share of.
std::string percent_text(std::int64_t before, std::int64_t after) {
  if (before == 0) return "";
  char text[40];
  constexpr double kWhole = 100;
  std::snprintf(
      text, sizeof text, "%.3g %%",
      kWhole * std::abs(static_cast<double>(after - before)) / static_cast<double>(before));
  return std::string(after < before ? ", −" : ", +") + text;
}

std::string signed_text(std::int64_t change) {
  return (change < 0 ? "−" : "+") + grouped(std::abs(change));
}

class Comparer {
 public:
  Comparer(const GateFile& file, std::vector<GateDifference>& differences)
      : file_(file), differences_(differences) {}

  // `was` and `is`: the same two as emulated, which have lines; null: they were not.
  void compare(const GateRecord& before, const GateRecord& after, const GateRecord* was,
               const GateRecord* is) {
    const std::size_t first = differences_.size();
    for (const GateCountRow& row : gate_counts()) compare_count(row, before, after);
    std::set<std::string> names;
    for (const auto& [name, output] : before.outputs) names.insert(name);
    for (const auto& [name, output] : after.outputs) names.insert(name);
    for (const std::string& name : names) compare_output(name, before, after);
    for (std::size_t i = first; was != nullptr && is != nullptr && i < differences_.size(); ++i) {
      GateDifference& made = differences_[i];
      const GateCountRow* row = find_gate_count(made.count);
      if (made.change == GateChange::outputs || (row != nullptr && !row->lines))
        made.lines = line_changes(*was, *is, "", false);
    }
  }

  void add(GateChange change, const GateRecord& record, std::string sentence) {
    differences_.push_back(
        {change, record.kernel, record.step, record.architecture, "", 0, 0, std::move(sentence)});
  }

 private:
  // The kernel of the person's part that a record is of; of a whole scene its name is a beginning.
  const GateKernel* kernel_of(const GateRecord& record) const {
    const GateKernel* found = nullptr;
    for (const GateKernel& kernel : file_.kernels) {
      if (record.kernel == kernel.name) return &kernel;
      if (record.kernel.starts_with(kernel.name + "/")) found = &kernel;
    }
    return found;
  }

  void compare_count(const GateCountRow& row, const GateRecord& before, const GateRecord& after) {
    const auto was = before.counts.find(row.id), is = after.counts.find(row.id);
    if (was == before.counts.end() && is == after.counts.end()) return;
    if (was == before.counts.end())
      return add(GateChange::added, after, std::string(row.label) + " are not recorded");
    if (is == after.counts.end())
      return add(GateChange::vanished, after, std::string(row.label) + " are not known any more");
    if (was->second == is->second) return;
    const std::int64_t worse = row.more ? was->second - is->second : is->second - was->second;
    const GateAllowance allowed = allowance_of(file_, kernel_of(after), row.id);
    const double most = std::max(static_cast<double>(allowed.count),
                                 allowed.ratio * static_cast<double>(was->second));
    GateDifference made;
    made.change = worse <= 0                              ? GateChange::better
                  : !(static_cast<double>(worse) <= most) ? GateChange::worse
                                                          : GateChange::allowed;
    made.kernel = after.kernel;
    made.step = after.step;
    made.architecture = after.architecture;
    made.count = row.id;
    made.before = was->second;
    made.after = is->second;
    made.sentence = std::string(row.label) + ": " + grouped(was->second) + " → " +
                    grouped(is->second) + " (" + signed_text(is->second - was->second) +
                    percent_text(was->second, is->second) + ")";
    if (row.lines) made.lines = line_changes(before, after, row.id, row.more);
    differences_.push_back(std::move(made));
  }

  void compare_output(const std::string& name, const GateRecord& before, const GateRecord& after) {
    const auto was = before.outputs.find(name), is = after.outputs.find(name);
    if (is == after.outputs.end())
      return add(GateChange::outputs, after, "the output " + name + " is recorded, and not there");
    if (was == before.outputs.end())
      return add(GateChange::outputs, after, "the output " + name + " is not recorded");
    if (was->second == is->second) return;
    if (!was->second.hash.empty() && !is->second.hash.empty())
      return add(GateChange::outputs, after, "the output " + name + " has other bits");
    const std::string& why = is->second.hash.empty() ? is->second.no_hash : was->second.no_hash;
    add(GateChange::other, after,
        "the output " + name + " is not compared: " + (is->second.hash.empty() ? "" : "before, ") +
            why);
  }

  const GateFile& file_;
  std::vector<GateDifference>& differences_;
};

const GateRecord* find_record(const std::vector<GateRecord>& records, const GateRecord& wanted,
                              int architecture) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const GateRecord& r) {
    return r.architecture == architecture && r.kernel == wanted.kernel && r.step == wanted.step;
  });
  return found == records.end() ? nullptr : &*found;
}
const GateRecord* find_record(const std::vector<GateRecord>& records, const GateRecord& wanted) {
  return find_record(records, wanted, wanted.architecture);
}

}  // namespace

const char* to_text(GateChange change) {
  switch (change) {
    case GateChange::worse:
      return "worse";
    case GateChange::outputs:
      return "outputs";
    case GateChange::vanished:
      return "vanished";
    case GateChange::added:
      return "added";
    case GateChange::allowed:
      return "allowed";
    case GateChange::better:
      return "better";
    case GateChange::other:
      return "other";
  }
  return "other";
}

bool fails(GateChange change) { return change <= GateChange::added; }

bool GateComparison::fails() const {
  return std::any_of(differences.begin(), differences.end(),
                     [](const GateDifference& d) { return warpscope::fails(d.change); });
}

std::string line_text(const GateLineChange& line) {
  const std::string text = line.text.empty() ? "" : "  " + line.text;
  std::string place = line.file + (line.line > 0 ? ":" + std::to_string(line.line) : ", gone");
  if (line.instructions && line.before == line.after) return place + text;
  place += line.instructions ? ": warp instructions " : ": ";
  return place + grouped(line.before) + " → " + grouped(line.after) + " (" +
         signed_text(line.after - line.before) + ")" + text;
}

Result<void> check_recorded(const GateFile& file, const std::string& path,
                            const GateRecords& recorded) {
  for (const int architecture : file.architectures) {
    if (std::any_of(recorded.records.begin(), recorded.records.end(),
                    [&](const GateRecord& r) { return r.architecture == architecture; }))
      continue;
    return failure(ErrorKind::input, "sm_" + std::to_string(architecture) + " is not recorded",
                   path, "record it with `warpscope ci --update`, or take it out of architectures");
  }
  return {};
}

Result<GateComparison> compare_gate(const GateFile& file, const std::string& path,
                                    const GateRecords& recorded, const GateRecords& now) {
  if (Result<void> checked = check_recorded(file, path, recorded); !checked)
    return tl::unexpected(checked.error());
  if (recorded.toolkit != now.toolkit)
    return failure(ErrorKind::environment,
                   "it was recorded with the CUDA toolkit " + recorded.toolkit + ", and this is " +
                       now.toolkit + ", whose compiler may give other counts",
                   path, "use that toolkit here, or record it anew with `warpscope ci --update`");
  GateComparison made;
  made.toolkit = now.toolkit;
  made.now = now.records;
  Comparer comparison(file, made.differences);
  for (const GateRecord& after : now.records) {
    if (const GateRecord* before = find_record(recorded.records, after)) {
      comparison.compare(*before, after, find_record(recorded.records, after, kGateEmulated),
                         find_record(now.records, after, kGateEmulated));
    } else {
      comparison.add(GateChange::added, after,
                     "it is not recorded: run `warpscope ci --update` and commit the file");
    }
  }
  for (const GateRecord& before : recorded.records) {
    if (find_record(now.records, before) != nullptr) continue;
    comparison.add(GateChange::vanished, before,
                   "it is recorded, and not there any more: bring it back, or run "
                   "`warpscope ci --update` and commit the file");
  }
  std::stable_partition(made.differences.begin(), made.differences.end(),
                        [](const GateDifference& d) { return fails(d.change); });
  return made;
}

}  // namespace warpscope
