package find_test

import (
	"strings"
	"testing"
)

// The texts of the benchmarks, 1 MB each.
var (
	codeText  = strings.Repeat("func (s *Server) handle(w http.ResponseWriter, r *http.Request) error {\n\tif err := s.check(r); err != nil {\n\t\treturn fmt.Errorf(\"handle %q: %w\", r.URL.Path, err)\n\t}\n\treturn nil\n}\n\n", 5500)
	proseText = strings.Repeat("The test shares a port between runs, so that the second one finds it in use and fails. A free port for each would do. ", 8500)
	cjkText   = strings.Repeat("测试在两次运行之间共享一个端口，所以第二次运行发现端口已被占用而失败。テストは毎回空いているポートを使うべきです。", 6500)
)

// BenchmarkFind searches texts for terms without a match. Budget: 500 MB/s for a core,
// so that two cores search a gigabyte in a second.
func BenchmarkFind(b *testing.B) {
	for _, c := range []struct{ name, query, text string }{
		{"a rare word in code", "quaternion", codeText},
		{"a rare word in prose", "quaternion", proseText},
		{"a rare word in Chinese", "quaternion", cjkText},
		{"frequent letters in code", "rentes", codeText},
		{"frequent letters in prose", "sennet", proseText},
		{"a phrase in prose", `"port is free"`, proseText},
		{"three words in prose", "port test absent", proseText},
		{"Cyrillic in code", "привет", codeText},
		{"Chinese in Chinese", "端口空闲", cjkText},
		{"Greek in prose", "σς", proseText},
	} {
		q := parse(b, c.query)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := q.Find(c.text); ok {
					b.Fatal("found")
				}
			}
		})
	}
}
