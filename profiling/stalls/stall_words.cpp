// profiling/stalls/stall_words.cpp: the sentences about a stall and its cause.
#include "profiling/stalls/stall_words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "profiling/listings/machine_pipes.h"

namespace warpscope {
namespace {

// "4", "7.6": whole where it is nearly so.
std::string number(double value) {
  char text[32];
  const bool whole = std::abs(value - std::round(value)) < 0.05;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.1f", value);
  return text;
}

double per_request(std::int64_t count, const AccessTotals& t) {
  return static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(1, t.requests));
}

std::string global_words(const AccessTotals& t) {
  const double sectors = per_request(t.sectors, t), ideal = per_request(t.ideal_sectors, t),
               lines = per_request(t.lines, t), lanes = per_request(t.lanes, t);
  constexpr double kNotable = 1.25, kScattered = 0.5;
  std::string words =
      number(sectors) + (number(sectors) == "1" ? " sector" : " sectors") + " per request";
  if (sectors <= kNotable * ideal) return words + " (coalesced)";
  words += " where " + number(ideal) + " would do";
  return words + (lines >= kScattered * lanes ? " (scattered addresses)"
                                              : " (strided or unaligned addresses)");
}

std::string shared_words(const AccessTotals& t) {
  const double wavefronts = per_request(t.wavefronts, t),
               ideal = per_request(t.ideal_wavefronts, t);
  constexpr double kConflict = 1.25;
  const std::string cost = number(wavefronts) +
                           (number(wavefronts) == "1" ? " wavefront" : " wavefronts") +
                           " per request";
  if (wavefronts < kConflict * ideal) return cost + " (no bank conflicts)";
  return number(std::round(wavefronts / ideal)) + "-way bank conflict: " + cost + " where " +
         number(ideal) + " would do";
}

std::string atomic_words(const AccessSite& site) {
  const AccessTotals& t = site.totals;
  const double words = per_request(t.unique_bytes, t) / std::max(1, site.width_bytes);
  const double lanes = per_request(t.lanes, t);
  if (site.merged) return "the lanes of a warp are added up before the request";
  const double same = words > 0 ? lanes / words : 0;
  if (same >= 2)
    return number(same) + " lanes of a request use the same address, one after another";
  return number(lanes) + (number(lanes) == "1" ? " lane" : " lanes") + " per request";
}

const char* work_words(MachineWork work) {
  switch (work) {
    case MachineWork::global_load:
      return "the load";
    case MachineWork::global_store:
      return "the store";
    case MachineWork::global_atomic:
      return "the atomic";
    case MachineWork::local_memory:
      return "the access to local memory";
    case MachineWork::shared_load:
      return "the load from shared memory";
    case MachineWork::shared_store:
      return "the store to shared memory";
    case MachineWork::shared_atomic:
      return "the atomic in shared memory";
    case MachineWork::constant_load:
      return "the load of a constant";
    case MachineWork::copy:
      return "the asynchronous copy";
    case MachineWork::bulk_copy:
      return "the bulk copy";
    case MachineWork::mbarrier:
      return "the mbarrier";
    case MachineWork::matrix_product:
    case MachineWork::warpgroup_product:
      return "the matrix product";
    case MachineWork::special_function:
      return "the special function";
    case MachineWork::special_register:
      return "a special register, such as the thread's index,";
    case MachineWork::shuffle:
      return "the shuffle";
    default:
      return "the result";
  }
}

class Sentence {
 public:
  Sentence(const StallFinding& finding, const StallContext& context, bool modelled)
      : f_(finding), c_(context), modelled_(modelled) {}

  std::string text() const {
    const std::string end = details();
    return start() + what() + (end.empty() ? "" : subject() + end) + ".";
  }

 private:
  const std::vector<MachineRow>& rows() const { return c_.trace.machine_code->rows; }
  MachineWork work() const { return work_of(rows()[f_.cause_row].text); }

  std::string start() const {
    std::string where = line_words(f_.line, "");
    where.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(where.front())));
    return where + " waits in " + percent_words(f_.share_ratio) +
           (modelled_ ? " of the modelled cycles " : " of all samples ");
  }

  bool same_line() const {
    return f_.cause_line.line == f_.line.line && f_.cause_line.file == f_.line.file;
  }
  std::string in_line() const {
    return same_line() ? " in the same line" : " in " + line_words(f_.cause_line, f_.line.file);
  }

  // What the details are about: ". The load takes " before sectors and wavefronts, else ": ".
  std::string subject() const {
    if (f_.access.empty() || f_.site < 0) return ": ";
    const AccessSite& site = c_.trace.sites[static_cast<std::size_t>(f_.site)];
    const bool atomic = site.kind == AccessKind::atomic || site.kind == AccessKind::reduction;
    if (atomic || is_bulk(site.kind)) return ": ";
    std::string words = work_words(work());
    words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
    return ". " + words + (f_.access.find("-way") == std::string::npos ? " takes " : " has a ");
  }

  std::string what() const {
    switch (f_.cause) {
      case StallCause::barrier_imbalance:
        return "at a barrier for the warps that are still" +
               (f_.cause_row == f_.row ? std::string(" on their way") : in_line());
      case StallCause::dependency_chain:
        return "for the result of an earlier instruction" + in_line();
      case StallCause::division:
        return same_line() ? "within its division" : "for the division" + in_line();
      case StallCause::divergence:
        return f_.cause_row == f_.row
                   ? "while only " + lanes_words(f_.row) + " are active"
                   : std::string("for ") + work_words(work()) + in_line() + few_lanes_words();
      case StallCause::instruction_cache:
        return "for its next instruction, which is not in the instruction cache";
      case StallCause::constant_cache:
        return work() == MachineWork::constant_load
                   ? "for the load of a constant" + in_line()
                   : "for a constant that is not in the constant cache";
      case StallCause::spill:
        return "for a spilled register" + in_line();
      case StallCause::arithmetic_pipe:
        return "because its pipe, " + pipe() + ", is busy";
      case StallCause::tensor_pipe:
        return f_.cause_row == f_.row ? "because the tensor pipe is busy"
                                      : "for the matrix product" + in_line();
      case StallCause::other:
        return f_.cause_row == f_.row ? "for another reason"
                                      : "for " + std::string(work_words(work())) + in_line();
      default:
        break;
    }
    if (f_.cause_row == f_.row)
      return std::string("for room in the queue of ") +
             (is_long_latency(work())                   ? "global memory instructions"
              : work() == MachineWork::special_function ? "special functions, which is also that "
                                                          "of shared memory"
                                                        : "shared memory instructions");
    return std::string("for ") + work_words(work()) + in_line();
  }

  std::string pipe() const {
    return to_text(pipe_of_opcode(std::string(opcode_in(rows()[f_.cause_row].text))));
  }

  std::string details() const {
    if (f_.cause == StallCause::divergence) return "";  // its lanes are the cause, not its access
    std::string words = f_.access;
    const auto add = [&](const std::string& more) {
      if (!more.empty()) words += (words.empty() ? "" : "; ") + more;
    };
    switch (f_.cause) {
      case StallCause::low_occupancy:
        add("only " + percent_words(c_.resources->theoretical_occupancy_ratio) +
            " of the warps that a multiprocessor can hold are resident");
        break;
      case StallCause::barrier_imbalance:
        if (const std::string lanes = lanes_words(f_.cause_row); !lanes.empty())
          add(lanes + " are active");
        break;
      case StallCause::dependency_chain:
        add(chain_words());
        break;
      case StallCause::division:
        add(division_words());
        break;
      case StallCause::memory_latency:
        if (needs_itself(rows(), f_.cause_row))
          add("its address needs the value of the load before it, so a thread has one in flight");
        break;
      default:
        break;
    }
    if (f_.site >= 0 && is_long_latency(work())) add(level_words());
    return words;
  }

  std::string lanes_words(std::uint32_t row) const {
    const MachineRow& of = rows()[row];
    if (of.executed <= 0) return "";
    const double lanes = static_cast<double>(of.threads) / static_cast<double>(of.executed);
    constexpr double kFew = 31;
    return lanes > kFew ? "" : number(lanes) + " of 32 lanes";
  }

  // The access to memory that is waited for has few active lanes, or the instruction that waits.
  std::string few_lanes_words() const {
    const bool of_cause = is_long_latency(work()) && few_lanes(rows()[f_.cause_row]);
    return ". On average, only " + lanes_words(of_cause ? f_.cause_row : f_.row) + " execute " +
           (of_cause ? work_words(work()) : "the waiting instruction");
  }

  // How many instructions before it each need the one before.
  std::string chain_words() const {
    int length = 1;
    std::uint32_t at = f_.row;
    constexpr int kLongest = 64;
    std::set<std::uint32_t> seen = {at};  // a chain may go round a loop
    for (bool found = true; found && length < kLongest;) {
      found = false;
      for (const MachineNeed& need : rows()[at].needs) {
        if (need.kind != NeedKind::fixed || seen.count(need.row) != 0) continue;
        if (work_of(rows()[need.row].text) != MachineWork::arithmetic) continue;
        if (rows()[need.row].executed < rows()[at].executed) continue;  // before the loop
        seen.insert(need.row);
        at = need.row;
        ++length;
        found = true;
        break;
      }
    }
    if (length < 3) return "";
    return "a chain of " + (length == kLongest ? "at least " : std::string()) +
           std::to_string(length) + " instructions, each of which needs the one before";
  }

  std::string division_words() const {
    return "the line has " + std::to_string(c_.flow.code_of(f_.cause_line).instructions) +
           " instructions";
  }

  std::string level_words() const {
    const LevelShares levels = level_shares(c_);
    std::string words;
    const auto add = [&](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
    if (levels.l1) add("L1 answers " + percent_words(*levels.l1) + " of the kernel's load sectors");
    if (levels.l2) add("L2 " + percent_words(*levels.l2) + " of what it is asked for");
    if (levels.dram_busy && f_.cause == StallCause::dram_bandwidth)
      add("DRAM is busy for at least " + percent_words(*levels.dram_busy) + " of its peak");
    return words;
  }

  const StallFinding& f_;
  const StallContext& c_;
  const bool modelled_;
};

}  // namespace

std::string percent_words(double ratio) {
  constexpr double kPercent = 100;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", kPercent * ratio);
  return text;
}

std::string line_words(const SourcePosition& position, const std::string& main_file) {
  if (position.line <= 0) return "an instruction without a line";
  const std::string words = "line " + std::to_string(position.line);
  if (position.file.empty() || position.file == main_file) return words;
  return words + " of " + position.file.substr(position.file.rfind('/') + 1);
}

std::string access_words(const Trace& trace, std::ptrdiff_t site) {
  if (site < 0) return "";
  const AccessSite& of = trace.sites[static_cast<std::size_t>(site)];
  if (of.totals.requests == 0) return "";
  if (of.kind == AccessKind::atomic || of.kind == AccessKind::reduction) return atomic_words(of);
  if (is_bulk(of.kind))
    return number(per_request(of.totals.unique_bytes, of.totals)) + " bytes per copy";
  switch (of.space) {
    case Space::global:
    case Space::local:
      return global_words(of.totals);
    case Space::shared:
      return shared_words(of.totals);
    default:
      return "";
  }
}

std::string finding_sentence(const StallFinding& finding, const StallContext& context,
                             bool modelled) {
  return Sentence(finding, context, modelled).text();
}

bool few_lanes(const MachineRow& row) {
  constexpr double kFew = 16;
  return row.executed > 0 &&
         static_cast<double>(row.threads) < kFew * static_cast<double>(row.executed);
}

}  // namespace warpscope
