// profiling/stalls/stall_report.cpp: why the warps of a kernel wait: from each stall to its cause,
// its line and its access.
#include "profiling/stalls/stall_report.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "profiling/stalls/stall_words.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

// Waits below this share of all samples are not listed, nor more of them than that.
constexpr double kLeastShare = 0.01;
constexpr std::size_t kMostFindings = 12;
// A last round of blocks that leaves more than this share of the time empty is the first cause.
constexpr double kEmptyTail = 0.35;

using Place = std::pair<std::string, int>;
Place place_of(const SourcePosition& p) { return {p.file, p.line}; }

class Reporter {
 public:
  Reporter(const StallContext& context, StallReport& report) : c_(context), report_(report) {}

  void fill() {
    add_reasons_and_lines();
    add_findings();
    add_circumstances();
    add_tail();
  }

 private:
  const std::vector<MachineRow>& rows() const { return c_.trace.machine_code->rows; }

  void add_reasons_and_lines() {
    std::map<std::string, double> reasons;
    std::map<Place, StallLine> lines;
    std::map<Place, std::map<std::string, double>> reasons_of_line;
    for (std::uint32_t k = 0; k < c_.waits.rows.size(); ++k) {
      const InstructionWaits& row = c_.waits.rows[k];
      if (row.all() <= 0) continue;
      const SourcePosition& at = c_.flow.line_of(k);
      StallLine& line = lines[place_of(at)];
      line.position = at;
      line.share_ratio += row.all() / c_.waits.all;
      line.issued_ratio += row.issued / c_.waits.all;
      reasons["selected"] += row.issued;
      for (const WaitPart& part : row.parts) {
        reasons[part.reason] += part.weight;
        reasons_of_line[place_of(at)][part.reason] += part.weight;
      }
    }
    for (const auto& [reason, weight] : reasons)
      report_.reasons.push_back({reason, weight / c_.waits.all});
    for (auto& [place, line] : lines) {
      const auto& of = reasons_of_line[place];
      const auto most = std::max_element(
          of.begin(), of.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most != of.end()) line.reason = most->first;
      report_.lines.push_back(std::move(line));
    }
    const auto larger = [](const auto& a, const auto& b) { return a.share_ratio > b.share_ratio; };
    std::stable_sort(report_.reasons.begin(), report_.reasons.end(), larger);
    std::stable_sort(report_.lines.begin(), report_.lines.end(), larger);
  }

  // Waits of one line for one cause are one finding; its reason and its instructions are those with
  // most of it.
  void add_findings() {
    struct Group {
      StallFinding finding;
      double weight = 0;
      std::map<std::string, double> reasons;
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, std::ptrdiff_t>> pairs;
    };
    std::map<std::tuple<Place, StallCause, Place>, Group> groups;
    for (std::uint32_t k = 0; k < c_.waits.rows.size(); ++k) {
      const SourcePosition& at = c_.flow.line_of(k);
      const auto keep = [&](const std::string& reason, double weight, double not_issued,
                            const FoundCause& cause) {
        report_.instructions.push_back({k, at, reason, weight, not_issued, weight / c_.waits.all,
                                        cause.cause, cause.row, c_.flow.line_of(cause.row)});
      };
      const double issued = c_.waits.rows[k].issued;
      if (issued > 0) keep("selected", issued, 0, {StallCause::other, k});
      for (const WaitPart& part : c_.waits.rows[k].parts) {
        const bool ready = part.reason == "not_selected";
        const FoundCause cause =
            ready ? FoundCause{StallCause::other, k} : cause_of(c_, k, part.reason);
        keep(part.reason, part.weight, part.not_issued, cause);
        if (ready || part.weight <= 0) continue;
        const SourcePosition& from = c_.flow.line_of(cause.row);
        Group& group = groups[{place_of(at), cause.cause, place_of(from)}];
        group.finding.line = at;
        group.finding.cause = cause.cause;
        group.finding.cause_line = from;
        group.weight += part.weight;
        group.reasons[part.reason] += part.weight;
        auto& pair = group.pairs[{k, cause.row}];
        pair.first += part.weight;
        pair.second = cause.site;
      }
    }
    for (auto& [key, group] : groups) {
      StallFinding& f = group.finding;
      f.share_ratio = group.weight / c_.waits.all;
      if (f.share_ratio < kLeastShare) continue;
      const auto lighter = [](const auto& a, const auto& b) { return a.second < b.second; };
      f.reason = std::max_element(group.reasons.begin(), group.reasons.end(), lighter)->first;
      const auto pair = std::max_element(group.pairs.begin(), group.pairs.end(), lighter);
      std::tie(f.row, f.cause_row) = pair->first;
      f.site = pair->second.second;
      f.access = access_words(c_.trace, f.site);
      f.remedy = row_of(f.cause).remedy;
      f.sentence = finding_sentence(f, c_, c_.waits.modelled);
      report_.findings.push_back(std::move(f));
    }
    std::stable_sort(
        report_.findings.begin(), report_.findings.end(),
        [](const StallFinding& a, const StallFinding& b) { return a.share_ratio > b.share_ratio; });
    if (report_.findings.size() > kMostFindings) report_.findings.resize(kMostFindings);
  }

  void add_circumstances() {
    if (c_.resources != nullptr && c_.resources->theoretical_occupancy_ratio > 0)
      report_.circumstances.push_back(
          plural(c_.resources->blocks_per_multiprocessor, "block") + " of " +
          plural(warps_of(c_.trace.launch), "warp") + " fit on a multiprocessor: occupancy " +
          percent_words(c_.resources->theoretical_occupancy_ratio) + ".");
    const LevelShares levels = level_shares(c_);
    if (levels.l2)
      report_.circumstances.push_back("L2 answers " + percent_words(*levels.l2) +
                                      " of the sectors that it is asked for.");
    if (levels.dram_busy)
      report_.circumstances.push_back("DRAM is busy for at least " +
                                      percent_words(*levels.dram_busy) + " of its peak.");
  }

  // Samples are of multiprocessors that have a block: a nearly empty last round shows in none.
  void add_tail() {
    const std::optional<double> filled = filled_rounds(c_);
    if (!filled) return;
    const std::int64_t round =
        std::int64_t{c_.multiprocessors} * c_.resources->blocks_per_multiprocessor;
    const std::int64_t blocks = block_count(c_.trace.launch);
    const std::string words = plural(blocks, "block") + " run in rounds of " +
                              std::to_string(round) + ", and the last round has " +
                              std::to_string((blocks - 1) % round + 1);
    report_.circumstances.push_back(words + ".");
    if (1 - *filled < kEmptyTail) return;
    StallFinding f;
    f.share_ratio = 1 - *filled;
    f.reason = "launch";
    f.cause = StallCause::launch_tail;
    f.sentence = "The launch has a tail: " + words + ". The multiprocessors have no block for " +
                 percent_words(f.share_ratio) + " of the time, if all blocks take equally long.";
    f.remedy = row_of(f.cause).remedy;
    if (!report_.findings.empty()) {
      f.line = f.cause_line = report_.findings.front().line;
      f.row = f.cause_row = report_.findings.front().row;
    }
    report_.findings.insert(report_.findings.begin(), std::move(f));
  }

  const StallContext& c_;
  StallReport& report_;
};

std::string sample_basis(const StallSamples& samples, const Measurement* point) {
  std::string words = grouped(samples_of_all(samples)) + " samples of " +
                      plural(samples.runs, "run") + ", one every " +
                      grouped(std::int64_t{1} << samples.period_log2) +
                      " cycles of a multiprocessor";
  if (point != nullptr && !point->conditions.device.empty())
    words += ", " + point->conditions.device;
  if (samples.dropped > 0) words += "; " + grouped(samples.dropped) + " more were dropped";
  return words;
}

}  // namespace

std::optional<Error> why_no_samples(const StepRecord& step) {
  if (step.samples.runs > 0) return std::nullopt;
  if (!step.samples.missing.empty())
    return Error{ErrorKind::environment,
                 "there are no samples: " + step.samples.missing.front().reason, step.name,
                 step.samples.missing.front().remedy};
  return Error{ErrorKind::environment, "no samples were taken", step.name,
               "run `warpscope stalls` on a machine with a GPU"};
}

Result<StallReport> stall_report(const StallSource& source) {
  const Trace& trace = source.trace;
  if (!trace.machine_code)
    return failure(
        ErrorKind::input,
        "the trace is of PTX" + (trace.no_machine_code.empty() ? "" : ": " + trace.no_machine_code),
        trace.step, "install nvdisasm of the CUDA Toolkit, or run ./start, which brings it");
  if (trace.machine_code->rows.empty() || trace.machine_code->rows.front().issue_cycles < 0)
    return failure(ErrorKind::input, "the trace does not say which instructions wait for which",
                   trace.step, "trace it anew with `warpscope stalls`");
  if (source.samples != nullptr && source.step != nullptr) {
    if (const auto missing = why_no_samples(*source.step)) return tl::unexpected(*missing);
  }
  Result<KernelWaits> waits = source.samples != nullptr
                                  ? sampled_waits(*source.samples, *trace.machine_code)
                                  : modelled_waits(trace);
  if (!waits) return tl::unexpected(waits.error());
  if (waits->all <= 0)
    return failure(ErrorKind::input, "the kernel has no waits to report", trace.step,
                   "choose a block that executes instructions");
  const CodeFlow flow(*trace.machine_code);
  StallContext context{trace, *waits, flow, source.point, nullptr, 0};
  if (source.step != nullptr && source.step->resources)
    context.resources = &*source.step->resources;
  if (source.samples != nullptr) context.multiprocessors = source.samples->multiprocessors;
  StallReport report;
  report.kernel = trace.entry;
  report.step = trace.step;
  report.modelled = waits->modelled;
  report.all = waits->all;
  report.assumptions = waits->assumptions;
  report.basis = source.samples != nullptr
                     ? sample_basis(*source.samples, source.point)
                     : "modelled: " + grouped(static_cast<std::int64_t>(waits->all)) +
                           " cycles of all warps of block " + std::to_string(trace.scope.block);
  Reporter(context, report).fill();
  return report;
}

}  // namespace warpscope
