package main_test

import (
	"maps"
	"slices"
	"testing"
)

// size is a number of lines, of the program and of its tests.
type size struct{ program, tests int }

// ceilings are the most lines that each package may have. A number here only goes down, but where a capability is added that
// was given its room beforehand. What is no longer needed makes room for what is new.
var ceilings = map[string]size{
	".":                             {79, 1248},
	"agent":                         {3526, 8547},
	"agent/agenttest":               {931, 82},
	"agent/anthropic":               {1128, 466},
	"agent/anthropic/anthropictest": {592, 154},
	"agent/catalog":                 {464, 336},
	"agent/compactor":               {2538, 101},
	"agent/core":                    {1392, 0},
	"agent/demo":                    {920, 766},
	"agent/llm":                     {862, 0},
	"agent/openai":                  {4961, 3844},
	"agent/updates":                 {460, 236},
	"agent/wire":                    {127, 75},
	"cli":                           {4031, 5406},
	"cli/console":                   {664, 0},
	"cli/doctor":                    {223, 0},
	"cli/keys":                      {323, 219},
	"cli/measure":                   {984, 0},
	"cli/owncommand":                {548, 209},
	"cli/page":                      {695, 308},
	"cli/screen":                    {3141, 402},
	"cli/session":                   {3621, 93},
	"cli/setup":                     {3031, 422},
	"cli/show":                      {426, 83},
	"cli/table":                     {68, 24},
	"cli/terminal":                  {405, 215},
	"cli/transfer":                  {1283, 204},
	"compact":                       {130, 237},
	"compact/compacttest":           {610, 0},
	"compact/edit":                  {2252, 1694},
	"compact/inspect":               {1024, 796},
	"compact/meter":                 {1090, 560},
	"compact/ordered":               {90, 23},
	"compact/planner":               {2218, 2211},
	"compact/preset":                {827, 269},
	"compact/preset/adachsoft":      {581, 573},
	"compact/projection":            {2252, 1040},
	"compact/promptcache":           {319, 166},
	"compact/replay":                {3181, 1724},
	"compact/snippet":               {84, 0},
	"compact/summary":               {2537, 1070},
	"config":                        {3103, 1238},
	"conversation":                  {3526, 1328},
	"conversation/conversationtest": {457, 0},
	"conversation/diff":             {351, 97},
	"conversation/find":             {550, 460},
	"conversation/foreign":          {980, 390},
	"conversation/jsonl":            {760, 475},
	"conversation/names":            {342, 191},
	"conversation/numbers":          {126, 42},
	"conversation/plain":            {314, 163},
	"docs/docstest":                 {83, 0},
	"e2e":                           {10, 9031},
	"storage":                       {4827, 3710},
	"storage/pages":                 {592, 46},
	"themes":                        {622, 322},
	"tools":                         {3125, 4393},
	"tools/checkpoint":              {804, 676},
	"tools/grants":                  {273, 185},
	"tools/hook":                    {264, 315},
	"tools/instructions":            {185, 145},
	"tools/mcp":                     {2029, 1415},
	"tools/params":                  {344, 0},
	"tools/permission":              {1679, 111},
	"tools/picture":                 {421, 240},
	"tools/recall":                  {648, 0},
	"tools/sandbox":                 {1865, 621},
	"tools/sandbox/proxy":           {353, 274},
	"tools/shell":                   {1522, 99},
	"tools/skill":                   {344, 172},
	"tools/web":                     {531, 67},
	"tools/workspace":               {717, 0},
	"tui":                           {8604, 6695},
	"tui/alert":                     {261, 112},
	"tui/breakdown":                 {872, 296},
	"tui/cells":                     {140, 0},
	"tui/changes":                   {323, 162},
	"tui/choices":                   {256, 73},
	"tui/composer":                  {2281, 1208},
	"tui/dialog":                    {2661, 892},
	"tui/diffview":                  {516, 168},
	"tui/edit":                      {1520, 191},
	"tui/gauge":                     {424, 294},
	"tui/history":                   {2903, 1104},
	"tui/pane":                      {1484, 816},
	"tui/preview":                   {619, 371},
	"tui/review":                    {324, 220},
	"tui/search":                    {398, 296},
	"tui/settings":                  {761, 283},
	"tui/transcript":                {3130, 2024},
	"tui/transcript/markdown":       {1983, 657},
	"tui/tuitest":                   {159, 0},
	"tui/welcome":                   {213, 35},
}

func TestPackagesStayWithinTheirLines(t *testing.T) {
	t.Parallel()
	have := map[string]size{}
	for _, s := range sources(t) {
		n := have[s.pkg]
		if s.test {
			n.tests += s.lines
		} else {
			n.program += s.lines
		}
		have[s.pkg] = n
	}
	for _, pkg := range slices.Sorted(maps.Keys(have)) {
		n, most := have[pkg], ceilings[pkg]
		if n.program > most.program || n.tests > most.tests {
			t.Errorf("%s has %d lines and %d of tests, at most %d and %d are allowed", pkg, n.program, n.tests, most.program, most.tests)
		}
	}
	for pkg := range ceilings {
		if _, there := have[pkg]; !there {
			t.Errorf("there is no package %s: take its row out", pkg)
		}
	}
}
