// workbench/commands/plans/plan_commands.h: the commands that make plans and merge sessions.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace warpscope {

void declare_plan(CLI::App& command, int& status);
void declare_merge(CLI::App& command, int& status);

}  // namespace warpscope
