// profiling/listings/machine_pipes.cpp: which pipe of a multiprocessor runs an instruction of
// machine code, and how many issue slots of each pipe a launch takes.
#include "profiling/listings/machine_pipes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <unordered_map>

#include "profiling/access/trace_view.h"
#include "scenes/base/device_units.h"

namespace warpscope {
namespace {

constexpr std::size_t kPipes = static_cast<std::size_t>(MachinePipe::other) + 1;
// source: CUDA C++ Programming Guide, "Compute Capability 9.x": four schedulers, each of which
// issues an instruction per cycle.
constexpr double kIssuesPerCycle = 4;

struct PipeRow {
  const char* opcode;
  MachinePipe pipe;
};
constexpr PipeRow kRows[] = {
    {"IADD3", MachinePipe::alu},        {"VIADD", MachinePipe::alu},
    {"LEA", MachinePipe::alu},          {"LOP3", MachinePipe::alu},
    {"PLOP3", MachinePipe::alu},        {"SHF", MachinePipe::alu},
    {"ISETP", MachinePipe::alu},        {"SEL", MachinePipe::alu},
    {"FSEL", MachinePipe::alu},         {"FSETP", MachinePipe::alu},
    {"FMNMX", MachinePipe::alu},        {"PRMT", MachinePipe::alu},
    {"MOV", MachinePipe::alu},          {"VIMNMX", MachinePipe::alu},
    {"VIMNMX3", MachinePipe::alu},      {"VIADDMNMX", MachinePipe::alu},
    {"IMNMX", MachinePipe::alu},        {"IABS", MachinePipe::alu},
    {"SGXT", MachinePipe::alu},         {"BMSK", MachinePipe::alu},
    {"P2R", MachinePipe::alu},          {"R2P", MachinePipe::alu},
    {"HMNMX2", MachinePipe::alu},       {"F2FP", MachinePipe::alu},
    {"FFMA", MachinePipe::fma},         {"FADD", MachinePipe::fma},
    {"FMUL", MachinePipe::fma},         {"IMAD", MachinePipe::fma_heavy},
    {"IDP", MachinePipe::fma_heavy},    {"HFMA2", MachinePipe::fp16},
    {"HADD2", MachinePipe::fp16},       {"HMUL2", MachinePipe::fp16},
    {"DADD", MachinePipe::fp64},        {"DMUL", MachinePipe::fp64},
    {"DFMA", MachinePipe::fp64},        {"DSETP", MachinePipe::fp64},
    {"DMNMX", MachinePipe::fp64},       {"MUFU", MachinePipe::xu},
    {"F2I", MachinePipe::xu},           {"I2F", MachinePipe::xu},
    {"F2F", MachinePipe::xu},           {"FRND", MachinePipe::xu},
    {"POPC", MachinePipe::xu},          {"FLO", MachinePipe::xu},
    {"BREV", MachinePipe::xu},          {"HMMA", MachinePipe::tensor},
    {"IMMA", MachinePipe::tensor},      {"DMMA", MachinePipe::tensor},
    {"HGMMA", MachinePipe::tensor},     {"QGMMA", MachinePipe::tensor},
    {"IGMMA", MachinePipe::tensor},     {"LD", MachinePipe::lsu},
    {"LDG", MachinePipe::lsu},          {"LDS", MachinePipe::lsu},
    {"LDL", MachinePipe::lsu},          {"LDSM", MachinePipe::lsu},
    {"ST", MachinePipe::lsu},           {"STG", MachinePipe::lsu},
    {"STS", MachinePipe::lsu},          {"STL", MachinePipe::lsu},
    {"STSM", MachinePipe::lsu},         {"ATOM", MachinePipe::lsu},
    {"ATOMG", MachinePipe::lsu},        {"ATOMS", MachinePipe::lsu},
    {"RED", MachinePipe::lsu},          {"REDG", MachinePipe::lsu},
    {"LDGSTS", MachinePipe::lsu},       {"SHFL", MachinePipe::lsu},
    {"S2R", MachinePipe::lsu},          {"SYNCS", MachinePipe::lsu},
    {"MEMBAR", MachinePipe::lsu},       {"FENCE", MachinePipe::lsu},
    {"CCTL", MachinePipe::lsu},         {"STAS", MachinePipe::lsu},
    {"REDAS", MachinePipe::lsu},        {"LDC", MachinePipe::adu},
    {"BAR", MachinePipe::adu},          {"BRX", MachinePipe::adu},
    {"JMX", MachinePipe::adu},          {"B2R", MachinePipe::adu},
    {"BRA", MachinePipe::cbu},          {"EXIT", MachinePipe::cbu},
    {"CALL", MachinePipe::cbu},         {"RET", MachinePipe::cbu},
    {"BSSY", MachinePipe::cbu},         {"BSYNC", MachinePipe::cbu},
    {"BREAK", MachinePipe::cbu},        {"WARPSYNC", MachinePipe::cbu},
    {"YIELD", MachinePipe::cbu},        {"UTMALDG", MachinePipe::tma},
    {"UTMASTG", MachinePipe::tma},      {"UTMAREDG", MachinePipe::tma},
    {"UTMAPF", MachinePipe::tma},       {"UBLKCP", MachinePipe::tma},
    {"UBLKRED", MachinePipe::tma},      {"UBLKPF", MachinePipe::tma},
    {"UTMACMDFLUSH", MachinePipe::tma}, {"UTMACCTL", MachinePipe::tma},
};

struct PipeText {
  const char* name;
  const char* runs;
  double issues_per_cycle;  // results per cycle over 32 lanes; 0: not said
};
constexpr std::array<PipeText, kPipes> kTexts = {{
    {"ALU", "integers, logic, comparisons, choices", 2},
    {"FMA", "FFMA, FADD, FMUL", 4},
    {"FMA heavy", "IMAD, IDP", 2},
    {"FP16", "pairs of halves", 4},
    {"FP64", "doubles", 2},
    {"XU", "special functions, conversions, counts of bits", 0.5},
    {"tensor", "products of matrices", 0},
    {"LSU", "loads, stores, atomics, shuffles, special registers", 1},
    {"uniform", "the uniform datapath", 0},
    {"ADU", "constants by address, barriers, branches by a register", 0},
    {"CBU", "branches, convergence", 0},
    {"TMA", "bulk copies", 0},
    {"other", "no public text says of which pipe they are", 0},
}};
const PipeText& text_of(MachinePipe pipe) { return kTexts[static_cast<std::size_t>(pipe)]; }

std::string_view opcode_of(std::string_view text) {
  if (text.starts_with("@")) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  return text.substr(0, text.find_first_of(" \t"));
}

std::array<std::int64_t, kPipes> counts_of(const Trace& trace) {
  std::array<std::int64_t, kPipes> counts{};
  for (const MachineRow& row : trace.machine_code->rows)
    counts[static_cast<std::size_t>(pipe_of_opcode(opcode_of(row.text)))] += row.executed;
  return counts;
}

}  // namespace

const char* to_text(MachinePipe pipe) { return text_of(pipe).name; }
const char* description_of(MachinePipe pipe) { return text_of(pipe).runs; }
double issues_per_cycle(MachinePipe pipe) { return text_of(pipe).issues_per_cycle; }

MachinePipe pipe_of_opcode(std::string_view opcode) {
  static const std::unordered_map<std::string_view, MachinePipe> rows = [] {
    std::unordered_map<std::string_view, MachinePipe> found;
    for (const PipeRow& row : kRows) found.emplace(row.opcode, row.pipe);
    return found;
  }();
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  if (const auto found = rows.find(name); found != rows.end()) return found->second;
  // "UIADD3": what has a U before the name of another instruction, and what only the uniform
  // datapath has.
  const bool uniform = name.size() > 1 && name[0] == 'U' && rows.contains(name.substr(1));
  return uniform || name == "ULDC" ? MachinePipe::uniform : MachinePipe::other;
}

double issue_cycles(const Trace& trace) {
  if (!trace.machine_code || !covers_grid(trace)) return 0;
  double executed = 0;
  for (const MachineRow& row : trace.machine_code->rows)
    executed += static_cast<double>(row.executed);
  return executed / (kIssuesPerCycle * DeviceLimits{}.multiprocessors);
}

std::vector<PipeSlots> pipe_slots(const Trace& trace) {
  std::vector<PipeSlots> list;
  if (!trace.machine_code) return list;
  std::array<std::int64_t, kPipes> counts = counts_of(trace);
  std::int64_t all = 0;
  for (const std::int64_t count : counts) all += count;
  counts[static_cast<std::size_t>(MachinePipe::fma)] +=
      counts[static_cast<std::size_t>(MachinePipe::fma_heavy)];
  const bool whole = covers_grid(trace);
  for (std::size_t k = 0; k < kPipes; ++k) {
    if (counts[k] == 0) continue;
    PipeSlots slots;
    slots.pipe = static_cast<MachinePipe>(k);
    slots.executed = counts[k];
    slots.share_ratio = static_cast<double>(counts[k]) / static_cast<double>(all);
    const double rate = issues_per_cycle(slots.pipe);
    if (whole && rate > 0)
      slots.cycles = static_cast<double>(counts[k]) / (rate * DeviceLimits{}.multiprocessors);
    list.push_back(slots);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const PipeSlots& a, const PipeSlots& b) { return a.executed > b.executed; });
  return list;
}

std::string pipe_table_text(const Trace& trace) {
  const std::vector<PipeSlots> list = pipe_slots(trace);
  if (list.empty()) return {};
  const double issue = issue_cycles(trace);
  char line[160];
  std::snprintf(line, sizeof line, "%-10s %14s %7s %12s  %s\n", "pipe", "issue slots", "share",
                issue > 0 ? "cycles" : "", "runs");
  std::string text = line;
  const auto cycles_text = [](double cycles) {
    char cell[32] = "";
    if (cycles > 0) std::snprintf(cell, sizeof cell, "%.0f", cycles);
    return std::string(cell);
  };
  for (const PipeSlots& p : list) {
    std::snprintf(line, sizeof line, "%-10s %14lld %6.1f%% %12s  %s\n", to_text(p.pipe),
                  static_cast<long long>(p.executed), 100 * p.share_ratio,
                  cycles_text(p.cycles).c_str(), description_of(p.pipe));
    text += line;
  }
  if (issue == 0) return text;
  std::snprintf(line, sizeof line, "%-10s %14s %7s %12s  %s\n", "all", "", "",
                cycles_text(issue).c_str(), "four schedulers, an instruction per cycle each");
  return text + line +
         "cycles: at least so many of a multiprocessor, if 132 share the work evenly\n";
}

std::string pipes_json(const Trace& trace) {
  std::string text = "[";
  for (const PipeSlots& p : pipe_slots(trace)) {
    char row[160];
    std::snprintf(row, sizeof row, R"(%s{"pipe":"%s","issue_slots":%lld,"share":%.6f)",
                  text.size() > 1 ? "," : "", to_text(p.pipe), static_cast<long long>(p.executed),
                  p.share_ratio);
    text += row;
    if (p.cycles > 0) {
      std::snprintf(row, sizeof row, R"(,"cycles":%.1f)", p.cycles);
      text += row;
    }
    text += "}";
  }
  return text + "]";
}

}  // namespace warpscope
