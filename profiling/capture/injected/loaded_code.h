// profiling/capture/injected/loaded_code.h: the code that a program loaded, and which of it a
// kernel is from.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/capture/injected/driver.h"

namespace warpscope {

// The bytes of what a program gives the driver to load: a fat binary, a cubin or PTX. Only the
// image's own head says how long it is. Empty: it is none of them, or longer than 256 MiB.
std::string_view image_bytes(const void* image);

// Whether such an image can have variables of __device__ or __constant__ memory: PTX says it, and
// nothing is read of the others.
bool may_have_variables(std::string_view image);

// Machine code with a kernel of a name; modules of other bytes may have one of this name, too.
struct FoundCode {
  std::string bytes;  // empty: it was not seen
  int others = 0;     // that may as well be meant
};

// The driver may tell of code while it holds locks of its own. So nothing here waits for a launch
// that is being taken, and the driver is not asked while others wait for this.
class LoadedCode {
 public:
  // Machine code that was loaded, of one module. Kept if it has a kernel that is wanted.
  void loaded(std::uint32_t module, std::string_view cubin,
              const std::function<bool(const std::string& symbol)>& wanted);
  void unloaded(std::uint32_t module);
  // What a module or a library was loaded from. `stays`: the program has the bytes for as long as
  // the code is loaded, so that they are not copied. `modules`: those that this load made.
  void given(const void* handle, std::string_view image, bool stays,
             std::vector<std::uint32_t> modules = {});

  void dropped(const void* handle);

  // The machine code with this kernel: of the function's own module if that is known, else what was
  // loaded last.
  FoundCode cubin_of(const CaptureDriver& driver, CUfunction function,
                     const std::string& symbol) const;
  std::string image_of(const CaptureDriver& driver, CUfunction function) const;

 private:
  struct Cubin {
    std::uint32_t module = 0;
    std::string bytes;
    std::vector<std::string> kernels;
  };
  struct Image {
    std::string copy;
    std::string_view bytes;
    std::vector<std::uint32_t> modules;
  };
  void drop(const void* handle);

  mutable std::mutex mutex_;
  std::vector<Cubin> cubins_;
  std::map<const void*, Image> images_;
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace warpscope
