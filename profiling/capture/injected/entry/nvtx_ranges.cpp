// profiling/capture/injected/entry/nvtx_ranges.cpp: push and pop of NVTX, as the program calls
// them.
#include "profiling/capture/injected/entry/nvtx_ranges.h"

#include <nvtx3/nvToolsExt.h>

#include <string>
#include <vector>

// NVTX loads the library that $NVTX_INJECTION64_PATH names and lets it put its own functions in a
// table. Only push and pop of the default domain and of domains are taken.
// source: nvtx3/nvtxDetail/nvtxTypes.h

namespace {

thread_local std::vector<std::string> ranges;
constexpr std::size_t kMostNameCharacters = 200, kMostDepth = 64;

int push(const char* name) {
  if (ranges.size() < kMostDepth)
    ranges.emplace_back(std::string(name == nullptr ? "" : name).substr(0, kMostNameCharacters));
  return static_cast<int>(ranges.size()) - 1;
}

const char* name_of(const nvtxEventAttributes_t* attributes) {
  const bool ascii = attributes != nullptr && attributes->messageType == NVTX_MESSAGE_TYPE_ASCII;
  return ascii ? attributes->message.ascii : "";
}

int NVTX_API push_ascii(const char* name) { return push(name); }
int NVTX_API push_ex(const nvtxEventAttributes_t* attributes) { return push(name_of(attributes)); }
int NVTX_API push_domain(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  return push(name_of(attributes));
}
int pop_any() {
  if (!ranges.empty()) ranges.pop_back();
  return static_cast<int>(ranges.size());
}
int NVTX_API pop() { return pop_any(); }
int NVTX_API pop_domain(nvtxDomainHandle_t) { return pop_any(); }

template <typename Function>
void put(NvtxFunctionTable table, unsigned size, unsigned id, Function function) {
  if (id < size && table[id] != nullptr)
    *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

namespace warpscope {

std::string current_range() {
  std::string path;
  for (const std::string& name : ranges) path += (path.empty() ? "" : "/") + name;
  return path;
}

}  // namespace warpscope

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable == nullptr) return 0;
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) != 0 &&
      table != nullptr) {
    put(table, size, NVTX_CBID_CORE_RangePushA, &push_ascii);
    put(table, size, NVTX_CBID_CORE_RangePushEx, &push_ex);
    put(table, size, NVTX_CBID_CORE_RangePop, &pop);
  }
  table = nullptr;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) != 0 &&
      table != nullptr) {
    put(table, size, NVTX_CBID_CORE2_DomainRangePushEx, &push_domain);
    put(table, size, NVTX_CBID_CORE2_DomainRangePop, &pop_domain);
  }
  return 1;
}
