package adachsoft

import (
	"strings"
	"testing"
)

// What json_encode(json_decode($text, true)) and strlen((string) $value) gave
// in PHP 8.2 with its default settings; for arrays the length is that of the
// JSON.
func TestPHPWritesJSONInItsOwnWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		size       int
	}{
		{`null`, `null`, 0},
		{`true`, `true`, 1},
		{`false`, `false`, 0},
		{`""`, `""`, 0},
		{`"a/b"`, `"a\/b"`, 3},
		{`"a\/b"`, `"a\/b"`, 3},
		{`"é"`, `"\u00e9"`, 2},
		{`"\u00E9"`, `"\u00e9"`, 2},
		{`"漢"`, `"\u6f22"`, 3},
		{`"😀"`, `"\ud83d\ude00"`, 4},
		{`"\ud83d\ude00"`, `"\ud83d\ude00"`, 4},
		{`"\u0000\b\f\n\r\t\u001f\"\\"`, `"\u0000\b\f\n\r\t\u001f\"\\"`, 9},
		{`"<>&'` + "\x7f\u2028" + `"`, `"<>&'` + "\x7f" + `\u2028"`, 8},

		{`0`, `0`, 1},
		{`-0`, `0`, 1},
		{`-0.0`, `-0`, 2},
		{`-0e1`, `-0`, 2},
		{`1.0`, `1`, 1},
		{`1e3`, `1000`, 4},
		{`1E+2`, `100`, 3},
		{`2.5`, `2.5`, 3},
		{`0.1`, `0.1`, 3},
		{`0.0001`, `0.0001`, 6},
		{`0.00001`, `1.0e-5`, 6},
		{`1.5e-7`, `1.5e-7`, 6},
		{`1e14`, `100000000000000`, 7},
		{`1e15`, `1000000000000000`, 7},
		{`1e16`, `10000000000000000`, 7},
		{`1e17`, `1.0e+17`, 7},
		{`1e100`, `1.0e+100`, 8},
		{`123456789.123456789`, `123456789.12345679`, 15},
		{`4503599627370497.5`, `4503599627370498`, 19},
		{`1.7976931348623157e308`, `1.7976931348623157e+308`, 20},
		{`5e-324`, `5.0e-324`, 20},
		{`1e-400`, `0`, 1},
		{`9223372036854775807`, `9223372036854775807`, 19},
		{`9223372036854775808`, `9.223372036854776e+18`, 19},
		{`-9223372036854775808`, `-9223372036854775808`, 20},
		{`-9223372036854775809`, `-9.223372036854776e+18`, 20},
		{`123456789012345678901234567890`, `1.2345678901234568e+29`, 19},

		{`[]`, `[]`, 2},
		{`{}`, `[]`, 2},
		{`{"a":[],"b":{}}`, `{"a":[],"b":[]}`, 15},
		{` [ 1.0 , {"a" : "x/y"} ] `, `[1,{"a":"x\/y"}]`, 16},
		{`{"0":1,"1":2}`, `[1,2]`, 5},
		{`{"1":1,"0":2}`, `{"1":1,"0":2}`, 13},
		{`{"1":1,"2":2}`, `{"1":1,"2":2}`, 13},
		{`{"00":1}`, `{"00":1}`, 8},
		{`{"":1}`, `{"":1}`, 6},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`, 13},
		{`{"0":"a","1":"b","0":"c"}`, `["c","b"]`, 9},
		{`{"-5":1,"é/":2}`, `{"-5":1,"\u00e9\/":2}`, 21},
	} {
		v, ok := readPHP([]byte(c.text))
		if !ok {
			t.Errorf("%s is refused", c.text)
			continue
		}
		got, ok := v.appendJSON(nil)
		if string(got) != c.want || !ok {
			t.Errorf("%s is written %s, %v; want %s", c.text, got, ok, c.want)
		}
		if v.size() != c.size {
			t.Errorf("%s has size %d, want %d", c.text, v.size(), c.size)
		}
	}
}

func TestPHPReadsInfinityButDoesNotWriteIt(t *testing.T) {
	t.Parallel()
	for text, size := range map[string]int{`1e400`: 3, `-1e400`: 4, `[1e400]`: 0, `{"a":{"b":-1e400}}`: 0} {
		v, ok := readPHP([]byte(text))
		if !ok || v.size() != size {
			t.Errorf("%s: read %v, size %d, want %d", text, ok, v.size(), size)
		}
		if got, ok := v.appendJSON(nil); ok {
			t.Errorf("%s is written %s", text, got)
		}
	}
}

func TestPHPRefusesWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, ` `, `{`, `[1`, `[1,]`, `{"a"}`, `{"a":}`, `{a:1}`, `]`, `1 2`, `{} x`, `TRUE`, `nul`, `01`, `1.`, `+1`, `'a'`, `"a`,
		`"\ud83d"`, `"\udc00"`, `"\ud83d\u0041"`, "\"\xff\"", "\"\n\"", `"\x"`, "\ufeff1",
		strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 100_000),
	} {
		if v, ok := readPHP([]byte(text)); ok {
			t.Errorf("%.40q is read as %+v", text, v)
		}
	}
}

func TestPHPNestsArrays512Deep(t *testing.T) {
	t.Parallel()
	for levels, want := range map[int]bool{511: true, 512: true, 513: false} {
		list := strings.Repeat("[", levels) + strings.Repeat("]", levels)
		if _, ok := readPHP([]byte(list)); ok != want {
			t.Errorf("%d lists: %v", levels, ok)
		}
		object := strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
		if _, ok := readPHP([]byte(object)); ok != want {
			t.Errorf("%d objects: %v", levels, ok)
		}
	}
}
