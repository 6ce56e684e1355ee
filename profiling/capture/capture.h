// profiling/capture/capture.h: one launch of a running program, as a capture file describes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/step.h"
#include "scenes/host/result.h"

// The injected library makes it where the launch happens, `warpscope capture` adds what it finds
// beside the program (PTX, source files), and everybody else reads it:
//
//   Result<Capture> capture = capture_of_json(text, "norm.wcap");
//   std::string text = json_of_capture(*capture);

namespace warpscope {

// Bytes of the argument block that the kernel was given.
struct CapturedParameter {
  std::uint64_t offset = 0;
  std::string bytes;
};

// A part of device memory that the launch could reach.
struct CapturedMemory {
  enum class Kind {
    argument,  // an argument points into it
    pointed,   // a word of other captured memory points into it
    variable   // a __constant__ or __device__ variable of the kernel's module
  };
  Kind kind = Kind::argument;
  std::uint64_t address = 0, bytes = 0;
  std::string name;  // of a variable
  bool operator==(const CapturedMemory&) const = default;
};

// A word that held an address when the launch was made.
struct CapturedPointer {
  bool in_memory = false;    // else in a parameter
  std::uint32_t holder = 0;  // which parameter or which memory
  std::uint64_t at = 0;      // byte in the holder
  std::uint32_t memory = 0;  // where it points to
  std::uint64_t offset = 0;  // … byte of it
  bool operator==(const CapturedPointer&) const = default;
};

// A tensor map inside a parameter, as the program described it to the driver, whose 128 bytes are
// not documented. Numbers are as the driver counts them. source: CUDA driver API,
// cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
struct CapturedTensorMap {
  std::uint32_t parameter = 0;
  std::uint64_t at = 0;  // byte in the parameter
  std::uint64_t address = 0;
  int type = 0, interleave = 0, swizzle = 0, l2_promotion = 0, fill = 0;
  std::vector<std::uint64_t> extents, strides;  // innermost first; no stride of the first
  std::vector<std::uint32_t> box;               // empty: of im2col
  std::vector<std::uint32_t> steps;             // from one element to the next that is taken
  // For im2col alone: corners of the box of pixels, channels of a pixel and pixels of a copy.
  std::vector<std::int32_t> lower, upper;
  std::uint32_t channels = 0, pixels = 0;
  bool operator==(const CapturedTensorMap&) const = default;
};
inline constexpr std::size_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

struct Capture {
  std::string made_by, time;         // version of Warpscope; "2026-11-28T14:05:00Z"
  std::vector<std::string> program;  // its command line
  std::int64_t process = 0;
  std::string device, device_uuid;
  int compute_capability = 0;  // 90
  int driver = 0;              // 13000: what cuDriverGetVersion says
  std::string symbol;          // of the kernel: "_Z3addPfi"
  std::string name;            // … for people: "add(float*, int)"
  std::int64_t number = 0;     // which launch of this kernel it was, from 1
  Launch launch;
  std::string range;  // its NVTX ranges, the outermost first: "step/forward"; empty: none
  bool data = true;   // false: memory was not saved
  std::vector<CapturedParameter> parameters;
  std::vector<CapturedMemory> memory;
  std::vector<CapturedPointer> pointers;
  std::vector<CapturedTensorMap> tensor_maps;
  std::string ptx_origin;          // how its PTX was found; empty: there is none
  std::vector<std::string> notes;  // what could not be kept, a sentence each
};

std::int64_t memory_bytes(const Capture& capture);  // of all its parts
std::string extents_text(const Dim3& d);            // "8", "32,4"

std::string json_of_capture(const Capture& capture);
// error: input: the first thing that is wrong. Afterwards every index leads somewhere, and all
// memory together has at most kMostCapturedBytes.
Result<Capture> capture_of_json(const std::string& text, const std::string& file);

}  // namespace warpscope
