// profiling/emulator/probes/probe_text.cpp: the instructions of probes.
#include "profiling/emulator/probes/probe_text.h"

#include "profiling/emulator/probes/ptx_probes.h"

namespace warpscope {
namespace {

// The place of this warp among the recorded ones in %wsr5, in a recorded block if %wsp0, and its
// lane in %wsr6.
constexpr const char* kFindWarp = R"(	mov.u32 %wsr0, %ctaid.z;
	mov.u32 %wsr1, %nctaid.y;
	mov.u32 %wsr2, %ctaid.y;
	mad.lo.u32 %wsr0, %wsr0, %wsr1, %wsr2;
	mov.u32 %wsr1, %nctaid.x;
	mov.u32 %wsr2, %ctaid.x;
	mad.lo.u32 %wsr0, %wsr0, %wsr1, %wsr2;
	ld.const.u32 %wsr1, [warpscope_probe_setup+16];
	ld.const.u32 %wsr2, [warpscope_probe_setup+20];
	sub.u32 %wsr0, %wsr0, %wsr1;
	setp.lt.u32 %wsp0, %wsr0, %wsr2;
	mov.u32 %wsr1, %tid.z;
	mov.u32 %wsr2, %ntid.y;
	mov.u32 %wsr3, %tid.y;
	mad.lo.u32 %wsr1, %wsr1, %wsr2, %wsr3;
	mov.u32 %wsr3, %ntid.x;
	mov.u32 %wsr4, %tid.x;
	mad.lo.u32 %wsr1, %wsr1, %wsr3, %wsr4;
	shr.u32 %wsr5, %wsr1, 5;
	and.b32 %wsr6, %wsr1, 31;
	mov.u32 %wsr4, %ntid.z;
	mul.lo.u32 %wsr2, %wsr2, %wsr3;
	mul.lo.u32 %wsr2, %wsr2, %wsr4;
	add.u32 %wsr2, %wsr2, 31;
	shr.u32 %wsr2, %wsr2, 5;
	mad.lo.u32 %wsr5, %wsr0, %wsr2, %wsr5;
)";

constexpr const char* kRegisters =
    "\t.reg .pred %wsp<4>;\n\t.reg .b32 %wsr<12>;\n\t.reg .b64 %wsd<8>;\n";

}  // namespace

std::string probe_variable() {
  return ".visible .const .align 8 .b8 " + std::string(kProbeSetupName) + "[" +
         std::to_string(sizeof(ProbeSetup)) +
         "];\n.visible .global .align 4 .u32 warpscope_probe_zero = 0;\n";
}

namespace {

// The registers of a wait whose record is kept: when it began, and ended; 0: nothing is kept.
std::string late_register(const char* name, std::uint32_t probe) {
  return "%warpscope_" + std::string(name) + std::to_string(probe);
}

std::string late_registers(const std::set<std::uint32_t>& late) {
  std::string text;
  for (const std::uint32_t probe : late) {
    const std::string from = late_register("from", probe), to = late_register("to", probe);
    text += "\t.reg .b32 " + from + ", " + to + ";\n\tmov.u32 " + from + ", 0;\n\tmov.u32 " + to +
            ", 0;\n";
  }
  return text;
}

// Writes what is kept of a wait.
std::string late_store_text(std::uint32_t probe) {
  const std::string from = late_register("from", probe), to = late_register("to", probe);
  return "\n\t{\n\t.reg .pred %wsp<2>;\n\t.reg .b32 %wsr<4>;\n\t.reg .b64 %wsd0;\n"
         "\tsetp.ne.and.u32 %wsp0, " +
         to + ", 0, %warpscope_first;\n\tsetp.gt.and.s32 %wsp1, %warpscope_room, 0, %wsp0;\n" +
         "\tmov.u32 %wsr1, " + std::to_string(probe) + ";\n\tmov.u32 %wsr3, " +
         std::to_string(probe + 1) +
         ";\n\tmov.b64 %wsd0, {%warpscope_low, %warpscope_high};\n"
         "\t@%wsp1 st.global.v4.u32 [%wsd0], {" +
         from + ", %wsr1, " + to +
         ", %wsr3};\n"
         "\t@%wsp1 add.u32 %warpscope_low, %warpscope_low, 16;\n"
         "\t@%wsp0 add.s32 %warpscope_room, %warpscope_room, -1;\n"
         "\tmov.u32 " +
         to + ", 0;\n\t}\n";
}

}  // namespace

// Registers of probes that the text does not use cost nothing: the compiler leaves them out.
std::string probe_begin(const std::set<std::uint32_t>& late) {
  return std::string(
             "\n\t.reg .b64 %warpscope_at;\n\t.reg .b32 %warpscope_left, %warpscope_low, "
             "%warpscope_high, %warpscope_room, %warpscope_begun;\n\t.reg .pred "
             "%warpscope_first;\n") +
         late_registers(late) + "\t{\n" + kRegisters + kFindWarp +
         R"(	ld.const.u64 %wsd1, [warpscope_probe_setup];
	ld.const.u64 %wsd2, [warpscope_probe_setup+8];
	ld.const.u32 %wsr0, [warpscope_probe_setup+24];
	ld.const.u32 %wsr1, [warpscope_probe_setup+28];
	ld.const.u32 %wsr2, [warpscope_probe_setup+32];
	setp.eq.u32 %wsp1, %wsr6, 0;
	setp.eq.and.u32 %wsp2, %wsr6, 0, %wsp0;
	mul.wide.u32 %wsd3, %wsr5, %wsr2;
	add.s64 %wsd1, %wsd1, %wsd3;
	mov.b64 {%warpscope_low, %warpscope_high}, %wsd1;
	selp.b32 %warpscope_room, %wsr0, 0, %wsp2;
	setp.ne.s32 %warpscope_first, %warpscope_room, 0;
	add.u32 %wsr7, %wsr6, -1;
	shl.b32 %wsr8, %wsr0, 1;
	mad.lo.u32 %wsr8, %wsr7, %wsr1, %wsr8;
	selp.u32 %wsr8, %wsr0, %wsr8, %wsp1;
	mul.wide.u32 %wsd3, %wsr8, 16;
	add.s64 %wsd1, %wsd1, %wsd3;
	selp.u32 %wsr9, %wsr0, %wsr1, %wsp1;
	selp.b64 %warpscope_at, %wsd1, 0, %wsp0;
	selp.b32 %warpscope_left, %wsr9, 0, %wsp0;
	mul.wide.u32 %wsd3, %wsr5, 48;
	add.s64 %wsd2, %wsd2, %wsd3;
	mov.u32 %wsr0, %smid;
	mov.u32 %wsr1, %warpid;
	mov.u32 %wsr2, 1;
	@%wsp2 st.global.u32 [%wsd2+32], %wsr0;
	@%wsp2 st.global.u32 [%wsd2+36], %wsr1;
	@%wsp2 st.global.u32 [%wsd2+44], %wsr2;
	@%wsp2 mov.u64 %wsd4, %globaltimer;
	mov.u64 %wsd5, %clock64;
	@%wsp2 st.global.u64 [%wsd2], %wsd4;
	@%wsp2 st.global.u64 [%wsd2+8], %wsd5;
	}
)";
}

namespace {

// A record, or the two of a wait.
struct Noted {
  std::string before;  // instructions after the clock is in %wsr2
  std::string store;   // the vector and the registers that it takes
};
Noted one_record(std::uint32_t probe) {
  return {"\tmov.u32 %wsr3, " + std::to_string(probe + 1) + ";\n", ".v2.u32 [AT], {%wsr2, %wsr3}"};
}
Noted two_records(std::uint32_t end) {
  return {"\tmov.u32 %wsr1, " + std::to_string(end) + ";\n\tmov.u32 %wsr3, " +
              std::to_string(end + 1) + ";\n",
          ".v4.u32 [AT], {%warpscope_begun, %wsr1, %wsr2, %wsr3}"};
}
std::string store_text(const Noted& noted, const std::string& address) {
  std::string text = noted.store;
  return "st.global" + text.replace(text.find("AT"), 2, address) + ";\n";
}

// None of the instructions waits for another but the store.
std::string first_lane_text(const Noted& noted, const std::string& guard) {
  const std::string test = guard.empty()
                               ? "\tsetp.gt.s32 %wsp0, %warpscope_room, 0;\n"
                               : "\tsetp.gt.and.s32 %wsp0, %warpscope_room, 0, " + guard + ";\n";
  const std::string only = guard.empty() ? "" : "@" + guard + " ";
  return "\n\t{\n\t.reg .pred %wsp0;\n\t.reg .b32 %wsr<4>;\n\t.reg .b64 %wsd0;\n"
         "\tmov.u32 %wsr2, %clock;\n" +
         test + noted.before + "\tmov.b64 %wsd0, {%warpscope_low, %warpscope_high};\n\t@%wsp0 " +
         store_text(noted, "%wsd0") + "\t" + only +
         "add.u32 %warpscope_low, %warpscope_low, 16;\n\t" + only +
         "add.s32 %warpscope_room, %warpscope_room, -1;\n\t}\n";
}

std::string elected_text(const Noted& noted, const std::string& guard) {
  const std::string first = guard.empty() ? "\tsetp.eq.u32 %wsp0, %wsr0, 0;\n"
                                          : "\tsetp.eq.and.u32 %wsp0, %wsr0, 0, " + guard + ";\n";
  return "\n\t{\n\t.reg .pred %wsp<2>;\n\t.reg .b32 %wsr<4>;\n"
         "\tmov.u32 %wsr2, %clock;\n"
         "\tactivemask.b32 %wsr0;\n\tmov.u32 %wsr1, %lanemask_lt;\n"
         "\tand.b32 %wsr0, %wsr0, %wsr1;\n" +
         first +
         "\t@%wsp0 add.s32 %warpscope_left, %warpscope_left, -1;\n"
         "\tsetp.ge.and.s32 %wsp1, %warpscope_left, 0, %wsp0;\n" +
         noted.before + "\t@%wsp1 " + store_text(noted, "%warpscope_at") +
         "\t@%wsp1 add.s64 %warpscope_at, %warpscope_at, 16;\n\t}\n";
}

std::string noted_text(const Noted& noted, const std::string& guard, bool elected) {
  return elected ? elected_text(noted, guard) : first_lane_text(noted, guard);
}

}  // namespace

std::string probe_text(std::uint32_t probe, const std::string& guard, bool elected) {
  return noted_text(one_record(probe), guard, elected);
}

std::string wait_begin_text(const std::string& guard) {
  return "\n\t" + (guard.empty() ? "" : "@" + guard + " ") + "mov.u32 %warpscope_begun, %clock;\n";
}

std::string wait_end_text(std::uint32_t probe, const std::string& guard, bool elected) {
  return noted_text(two_records(probe), guard, elected);
}

std::string late_begin_text(std::uint32_t probe, const std::string& guard) {
  return wait_begin_text(guard) + late_store_text(probe);
}

// Only lane 0 reads the clock, so that the compiler reads it by CS2R: S2UR holds the warp.
std::string late_end_text(std::uint32_t probe, const std::string& guard) {
  const std::string first =
      guard.empty() ? "" : "\tand.pred %wsp0, %warpscope_first, " + guard + ";\n";
  const std::string only = guard.empty() ? "\t@%warpscope_first " : "\t@%wsp0 ";
  const std::string negated = guard.starts_with('!')
                                  ? "\tnot.pred %wsp1, " + guard.substr(1) +
                                        ";\n\tand.pred %wsp0, %warpscope_first, %wsp1;\n"
                                  : first;
  return "\n\t{\n\t.reg .pred %wsp<2>;\n" + negated + only + "mov.u32 " +
         late_register("to", probe) + ", %clock;\n" + only + "mov.u32 " +
         late_register("from", probe) + ", %warpscope_begun;\n\t}\n";
}

std::string probe_hold() {
  return R"(
	{
	.reg .pred %wsp0;
	.reg .b32 %wsr0;
	.reg .b64 %wsd0;
	mov.u64 %wsd0, warpscope_probe_zero;
	ld.global.u32 %wsr0, [%wsd0];
	setp.ne.u32 %wsp0, %wsr0, 0;
	@%wsp0 trap;
	}
)";
}

std::string probe_end(const std::set<std::uint32_t>& late) {
  std::string kept;
  for (const std::uint32_t probe : late) kept += late_store_text(probe);
  return kept + "\n\t{\n" + kRegisters + kFindWarp +
         R"(	ld.const.u64 %wsd2, [warpscope_probe_setup+8];
	mul.wide.u32 %wsd3, %wsr5, 48;
	add.s64 %wsd2, %wsd2, %wsd3;
	activemask.b32 %wsr0;
	mov.u32 %wsr1, %lanemask_lt;
	and.b32 %wsr0, %wsr0, %wsr1;
	setp.eq.and.u32 %wsp1, %wsr0, 0, %wsp0;
	mov.u64 %wsd5, %clock64;
	@%wsp1 mov.u64 %wsd4, %globaltimer;
	@%wsp1 st.global.u64 [%wsd2+16], %wsd4;
	@%wsp1 st.global.u64 [%wsd2+24], %wsd5;
	setp.lt.and.s32 %wsp2, %warpscope_left, 0, %wsp0;
	neg.s32 %wsr2, %warpscope_left;
	@%wsp2 red.global.add.u32 [%wsd2+40], %wsr2;
	setp.eq.and.u32 %wsp3, %wsr6, 0, %wsp0;
	setp.lt.and.s32 %wsp3, %warpscope_room, 0, %wsp3;
	neg.s32 %wsr3, %warpscope_room;
	@%wsp3 red.global.add.u32 [%wsd2+40], %wsr3;
	}
)";
}

}  // namespace warpscope
