// profiling/emulator/ptx/guarded_registers.h: registers whose value matters only under a condition.
#pragma once

#include <string_view>
#include <unordered_set>

#include "profiling/emulator/ptx/module.h"

namespace warpscope {

// Names of a function's registers that scalar loads fill and that are only compared, or chosen by a
// predicate, where the results of those comparisons are only combined, or decide what is run.
// Compilers load and compare ahead of the test that says whether the value is there:
// `i < n && a[i] < b` becomes a load, two comparisons and an and.pred. Empty: there are none, or
// some such result goes elsewhere.
std::unordered_set<std::string_view> guarded_registers(const PtxModule& module,
                                                       const PtxFunction& function);

}  // namespace warpscope
