// profiling/stalls/machine_opcode.cpp: what kind of instruction a row of machine code is, by its
// text.
#include "profiling/stalls/machine_opcode.h"

#include <algorithm>

namespace warpscope {
namespace {

struct WorkRow {
  std::string_view name;
  MachineWork work;
};
constexpr WorkRow kWork[] = {
    {"LDG", MachineWork::global_load},
    {"LD", MachineWork::global_load},
    {"STG", MachineWork::global_store},
    {"ST", MachineWork::global_store},
    {"ATOMG", MachineWork::global_atomic},
    {"ATOM", MachineWork::global_atomic},
    {"RED", MachineWork::global_atomic},
    {"REDG", MachineWork::global_atomic},
    {"LDL", MachineWork::local_memory},
    {"STL", MachineWork::local_memory},
    {"LDS", MachineWork::shared_load},
    {"LDSM", MachineWork::shared_load},
    {"STS", MachineWork::shared_store},
    {"STSM", MachineWork::shared_store},
    {"ATOMS", MachineWork::shared_atomic},
    {"REDS", MachineWork::shared_atomic},
    {"LDC", MachineWork::constant_load},
    {"ULDC", MachineWork::constant_load},
    {"LDCU", MachineWork::constant_load},
    {"LDGSTS", MachineWork::copy},
    {"UBLKCP", MachineWork::bulk_copy},
    {"UTMALDG", MachineWork::bulk_copy},
    {"UTMASTG", MachineWork::bulk_copy},
    {"UBLKRED", MachineWork::bulk_copy},
    {"UTMAREDG", MachineWork::bulk_copy},
    {"SYNCS", MachineWork::mbarrier},
    {"BAR", MachineWork::block_barrier},
    {"HMMA", MachineWork::matrix_product},
    {"IMMA", MachineWork::matrix_product},
    {"DMMA", MachineWork::matrix_product},
    {"QMMA", MachineWork::matrix_product},
    {"BMMA", MachineWork::matrix_product},
    {"HGMMA", MachineWork::warpgroup_product},
    {"IGMMA", MachineWork::warpgroup_product},
    {"QGMMA", MachineWork::warpgroup_product},
    {"BGMMA", MachineWork::warpgroup_product},
    {"WARPGROUP", MachineWork::warpgroup_product},
    {"MUFU", MachineWork::special_function},
    {"F2F", MachineWork::special_function},
    {"F2I", MachineWork::special_function},
    {"I2F", MachineWork::special_function},
    {"FRND", MachineWork::special_function},
    {"POPC", MachineWork::special_function},
    {"FLO", MachineWork::special_function},
    {"BREV", MachineWork::special_function},
    {"S2R", MachineWork::special_register},
    {"S2UR", MachineWork::special_register},
    {"DADD", MachineWork::arithmetic},
    {"SHFL", MachineWork::shuffle},
    {"REDUX", MachineWork::shuffle},
    {"VOTE", MachineWork::shuffle},
    {"MATCH", MachineWork::shuffle},
    {"BRA", MachineWork::branch},
    {"BRX", MachineWork::branch},
    {"JMP", MachineWork::branch},
    {"CALL", MachineWork::branch},
    {"RET", MachineWork::branch},
    {"BSSY", MachineWork::branch},
    {"BSYNC", MachineWork::branch},
    {"WARPSYNC", MachineWork::branch},
    {"EXIT", MachineWork::end},
};
constexpr std::string_view kArithmetic[] = {
    "FADD",  "FMUL",  "FFMA",  "FMNMX", "FSEL", "FSETP", "DFMA",  "DMUL",
    "DSETP", "HADD2", "HMUL2", "HFMA2", "IMAD", "IADD3", "IADD",  "ISETP",
    "LEA",   "LOP3",  "SHF",   "SEL",   "PRMT", "MOV",   "VIADD", "VIMNMX",
    "IABS",  "IDP",   "FCHK",  "F2FP",  "I2FP", "PLOP3", "CS2R"};

std::string_view name_in(std::string_view text) {
  const std::string_view opcode = opcode_in(text);
  return opcode.substr(0, opcode.find('.'));
}

}  // namespace

std::string_view opcode_in(std::string_view text) {
  if (text.starts_with("@")) {
    const std::size_t space = text.find(' ');
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  }
  return text.substr(0, text.find_first_of(" \t"));
}

bool has_modifier(std::string_view text, std::string_view modifier) {
  std::string_view rest = opcode_in(text);
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    rest.remove_prefix(dot + 1);
    if (rest.substr(0, rest.find('.')) == modifier) return true;
  }
  return false;
}

MachineWork work_of(std::string_view text) {
  const std::string_view name = name_in(text);
  for (const WorkRow& row : kWork) {
    if (row.name == name) return row.work;
  }
  const std::string_view plain =
      name.starts_with("U") && name.size() > 1 ? name.substr(1) : name;  // "UIADD3"
  return std::find(std::begin(kArithmetic), std::end(kArithmetic), plain) != std::end(kArithmetic)
             ? MachineWork::arithmetic
             : MachineWork::other;
}

bool is_long_latency(MachineWork work) {
  switch (work) {
    case MachineWork::global_load:
    case MachineWork::global_store:
    case MachineWork::global_atomic:
    case MachineWork::local_memory:
    case MachineWork::copy:
    case MachineWork::bulk_copy:
    case MachineWork::mbarrier:
      return true;
    default:
      return false;
  }
}

bool calls_division(std::string_view text) {
  if (name_in(text) != "CALL") return false;
  return text.find("div") != std::string_view::npos || text.find("rem") != std::string_view::npos ||
         text.find("rcp") != std::string_view::npos;
}

bool is_reciprocal(std::string_view text) {
  return name_in(text) == "MUFU" && (has_modifier(text, "RCP") || has_modifier(text, "RCP64H"));
}

}  // namespace warpscope
