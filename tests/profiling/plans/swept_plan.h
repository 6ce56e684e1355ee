// tests/profiling/plans/swept_plan.h: the state of a sweep that this process seems to run.
#pragma once

#include <unistd.h>

#include "profiling/plans/sweep_state.h"

namespace warpscope {

// 12 of 400 points are done, and one of its two devices is lost.
inline SweepState swept_plan(double left_s) {
  SweepState state;
  state.host = host_name();
  state.process = ::getpid();
  state.command = "warpscope sweep --resume a.plan";
  state.done = 12;
  state.of = 400;
  state.left_s = left_s;
  state.devices = {{"device 0: NVIDIA H200", "csrmm/auto n=64: warm samples", 7, 1, false},
                   {"device 1", "no such device", 5, 0, true}};
  return state;
}

}  // namespace warpscope
