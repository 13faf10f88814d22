//go:build js && !page

package charts

import (
	"fmt"
	"strings"
	"syscall/js"
)

// hidden are the names by which scripts would find out that they run in a worker. They see the
// language alone, as they do in Node's engine (engine.go), so that they draw the same.
var hidden = []string{"self", "window", "document", "navigator", "OffscreenCanvas", "define", "module", "process", "require"}

// functions are the scripts that were compiled, by their texts. The next program in this worker
// finds them, too.
var functions = func() js.Value {
	const name = "dpbanditsScripts"
	if js.Global().Get(name).IsUndefined() {
		js.Global().Set(name, js.Global().Get("Map").New())
	}
	return js.Global().Get(name)
}()

// call runs the scripts in a scope of their own, and then calls the named function with the
// argument. The engine is the one that runs this program.
func call(scripts []script, name string, argument []byte) (result []byte, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case js.Error:
			result, err = nil, fmt.Errorf("charts: drawing: %w", e)
		default:
			panic(e)
		}
	}()
	var body strings.Builder
	body.WriteString("var exports = {}, module = {}, echarts = exports;\n")
	for _, s := range scripts {
		body.WriteString(s.Text + "\n;\n")
	}
	fmt.Fprintf(&body, "return %s(argument);", name)
	parameters := make([]any, 0, len(hidden)+2)
	for _, h := range hidden {
		parameters = append(parameters, h)
	}
	draw := functions.Call("get", body.String())
	if draw.IsUndefined() {
		draw = js.Global().Get("Function").New(append(parameters, "argument", body.String())...)
		functions.Call("set", body.String(), draw)
	}
	arguments := make([]any, len(hidden)+1)
	for i := range hidden {
		arguments[i] = js.Undefined()
	}
	arguments[len(hidden)] = string(argument)
	return []byte(draw.Invoke(arguments...).String()), nil
}
