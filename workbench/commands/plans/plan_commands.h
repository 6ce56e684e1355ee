// workbench/commands/plans/plan_commands.h: the commands of sweeps over several devices.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace warpscope {

void declare_plan(CLI::App& command, int& status);
void declare_merge(CLI::App& command, int& status);
void declare_devices(CLI::App& command, int& status);

}  // namespace warpscope
