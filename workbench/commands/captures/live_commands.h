// workbench/commands/captures/live_commands.h: launches taken while a program runs, as lines of
// standard input say.
#pragma once

#include "workbench/client/captures/live_capture.h"

namespace warpscope {

// `warpscope capture --live`. Everything that it says goes to standard error, as standard output is
// the program's. Returns the exit status: 0 if a launch was captured or none was asked for.
int capture_live(LiveRequest request);

}  // namespace warpscope
