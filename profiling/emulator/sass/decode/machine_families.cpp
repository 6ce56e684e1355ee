// profiling/emulator/sass/decode/machine_families.cpp: the families of opcodes of machine code.
#include "profiling/emulator/sass/decode/machine_families.h"

#include <unordered_map>

namespace warpscope {
namespace {

struct FamilyRow {
  const char* opcode;
  MachineFamily family;
};
constexpr FamilyRow kFamilies[] = {
    {"MOV", decode_move},
    {"IADD3", decode_add3},
    {"VIADD", decode_add},
    {"IADD", decode_add},
    {"IMAD", decode_multiply_add},
    {"LEA", decode_shift_add},
    {"ISETP", decode_integer_compare},
    {"VIMNMX", decode_integer_extreme},
    {"VIMNMX3", decode_integer_extreme},
    {"VIADDMNMX", decode_integer_extreme},
    {"IMNMX", decode_integer_extreme},
    {"IABS", decode_absolute},
    {"VABSDIFF", decode_difference},
    {"VABSDIFF4", decode_difference},
    {"IDP", decode_dot4},
    {"LOP3", decode_logic},
    {"PLOP3", decode_predicate_logic},
    {"SHF", decode_shift},
    {"PRMT", decode_permute},
    {"SEL", decode_choose},
    {"FSEL", decode_choose},
    {"POPC", decode_bits},
    {"BREV", decode_bits},
    {"FLO", decode_bits},
    {"SGXT", decode_bits},
    {"BMSK", decode_bits},
    {"P2R", decode_predicate_register},
    {"R2P", decode_predicate_register},
    {"FFMA", decode_float},
    {"FADD", decode_float},
    {"FMUL", decode_float},
    {"FSETP", decode_float_compare},
    {"FSET", decode_float_compare},
    {"FADD2", decode_float_pair},
    {"FMUL2", decode_float_pair},
    {"FFMA2", decode_float_pair},
    {"FMNMX", decode_float_extreme},
    {"FMNMX3", decode_float_extreme},
    {"MUFU", decode_function},
    {"FCHK", decode_check_division},
    {"DADD", decode_double},
    {"DMUL", decode_double},
    {"DFMA", decode_double},
    {"DSETP", decode_double_compare},
    {"HFMA2", decode_halves},
    {"HADD2", decode_halves},
    {"HMUL2", decode_halves},
    {"HMNMX2", decode_halves},
    {"HSET2", decode_half_compare},
    {"HSETP2", decode_half_compare},
    {"F2I", decode_conversion},
    {"I2F", decode_conversion},
    {"I2FP", decode_conversion},
    {"F2F", decode_conversion},
    {"FRND", decode_conversion},
    {"F2FP", decode_pack},
    {"I2I", decode_integer_pack},
    {"I2IP", decode_integer_pack},
    {"F2IP", decode_integer_pack},
    {"LDG", decode_load},
    {"LD", decode_load},
    {"LDS", decode_load},
    {"LDL", decode_load},
    {"STG", decode_store},
    {"ST", decode_store},
    {"STS", decode_store},
    {"STL", decode_store},
    {"LDC", decode_constant_load},
    {"ATOMG", decode_atomic},
    {"ATOMS", decode_atomic},
    {"ATOM", decode_atomic},
    {"REDG", decode_atomic},
    {"RED", decode_atomic},
    {"LDGSTS", decode_copy_to_shared},
    {"LDSM", decode_matrix_load},
    {"STSM", decode_matrix_load},
    {"SYNCS", decode_barrier_in_memory},
    {"ARRIVES", decode_arrival_after_copies},
    {"UTMALDG", decode_tensor_load},
    {"UTMASTG", decode_tensor_store},
    {"UTMAREDG", decode_tensor_store},
    {"UBLKCP", decode_bulk_copy},
    {"UBLKRED", decode_bulk_copy},
    {"UTMACMDFLUSH", decode_bulk_commit},
    {"UTMACCTL", decode_nothing},
    {"STAS", decode_store_async},
    {"REDAS", decode_store_async},
    {"UCGABAR_ARV", decode_cluster_barrier},
    {"UCGABAR_WAIT", decode_cluster_barrier},
    {"USETMAXREG", decode_register_change},
    {"WARPGROUP", decode_warpgroup_order},
    {"HGMMA", decode_warpgroup_product},
    {"QGMMA", decode_warpgroup_product},
    {"IGMMA", decode_warpgroup_product},
    {"BRA", decode_branch},
    {"CALL", decode_branch},
    {"LEPC", decode_return_address},
    {"RET", decode_branch_by_register},
    {"BRX", decode_branch_by_register},
    {"BRXU", decode_branch_by_register},
    {"EXIT", decode_exit},
    {"BSSY", decode_convergence},
    {"BSYNC", decode_convergence},
    {"BREAK", decode_convergence},
    {"WARPSYNC", decode_convergence},
    {"BAR", decode_barrier},
    {"B2R", decode_barrier},
    {"BMOV", decode_barrier_move},
    {"BPT", decode_trap},
    {"NOP", decode_nothing},
    {"YIELD", decode_nothing},
    {"NANOSLEEP", decode_nothing},
    {"ENDCOLLECTIVE", decode_nothing},
    {"DEPBAR", decode_nothing},
    {"LDGDEPBAR", decode_nothing},
    {"ERRBAR", decode_nothing},
    {"CGAERRBAR", decode_nothing},
    {"CCTL", decode_nothing},
    // griddepcontrol.wait and .launch_dependents: a launch that depends on no other waits for none.
    {"ACQBULK", decode_nothing},
    {"PREEXIT", decode_nothing},
    {"MEMBAR", decode_fence},
    {"FENCE", decode_fence},
    {"S2R", decode_special},
    {"S2UR", decode_special},
    {"CS2R", decode_special},
    {"SHFL", decode_shuffle},
    {"VOTE", decode_vote},
    {"VOTEU", decode_vote},
    {"MATCH", decode_match},
    {"REDUX", decode_reduce},
    {"CREDUX", decode_reduce},
    {"R2UR", decode_to_uniform},
    {"ELECT", decode_elect},
    {"HMMA", decode_matrix_product},
    {"IMMA", decode_matrix_product},
    {"DMMA", decode_matrix_product},
    {"BMMA", decode_bit_product},
    {"MOVM", decode_matrix_transpose},
    {"QSPC", decode_is_space},
};

const std::unordered_map<std::string, MachineFamily>& families() {
  static const std::unordered_map<std::string, MachineFamily> rows = [] {
    std::unordered_map<std::string, MachineFamily> found;
    for (const FamilyRow& row : kFamilies) found.emplace(row.opcode, row.family);
    return found;
  }();
  return rows;
}

// Opcodes of the uniform datapath that do what others do for lanes.
constexpr const char* kUniform[] = {
    "UMOV",       "UIADD3", "UIMAD",  "ULEA",  "UISETP", "ULOP3",  "UPLOP3", "USHF",    "UPRMT",
    "USEL",       "UPOPC",  "UBREV",  "UFLO",  "USGXT",  "UBMSK",  "ULDC",   "UVIADD",  "UFADD",
    "UFMUL",      "UFFMA",  "UFSETP", "UFSET", "UFSEL",  "UFMNMX", "UIABS",  "UVIMNMX", "UVIMNMX3",
    "UVIADDMNMX", "UI2F",   "UI2FP",  "UF2I",  "UF2F",   "UF2FP",  "UFRND",  "UIADD",   "UIMNMX"};

}  // namespace

MachineFamily machine_family(MachineContext& ctx, const std::string& name) {
  if (const auto found = families().find(name); found != families().end()) return found->second;
  if (name == "LDCU") {
    ctx.uniform = true;
    return decode_constant_load;
  }
  for (const char* const uniform : kUniform) {
    if (name != uniform) continue;
    ctx.uniform = true;
    return families().at(name.substr(1));
  }
  return nullptr;
}

}  // namespace warpscope
