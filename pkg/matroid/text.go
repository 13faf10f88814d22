package matroid

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Must returns the matroid of a constructor, or panics with its error. It makes an expression of a
// description that is known to be right: Must(NewUniform(5, 2)). A matroid prints as that.
func Must(m Matroid, err error) Matroid {
	if err != nil {
		panic(err)
	}
	return m
}

// made is a matroid with the call that made it, which is its text.
type made struct {
	of          Matroid
	constructor string
	arguments   []any
}

func (m *made) Size() int           { return m.of.Size() }
func (m *made) Rank() int           { return m.of.Rank() }
func (m *made) NewBuilder() Builder { return m.of.NewBuilder() }

// constructors lists what JSON may call.
var constructors = map[string]any{
	"NewUniform": NewUniform, "NewPartition": NewPartition, "NewLaminar": NewLaminar, "NewGraphic": NewGraphic,
	"NewTransversal": NewTransversal, "NewLinear": NewLinear, "NewLinearFloat": NewLinearFloat,
}

// GoString returns Go source that makes the matroid again.
func (m *made) GoString() string {
	var b strings.Builder
	for i, a := range m.arguments {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%#v", a)
	}
	return "matroid.Must(matroid." + m.constructor + "(" + b.String() + "))"
}

// MarshalJSON returns a list of the constructor and its arguments.
func (m *made) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]any{m.constructor}, m.arguments...))
}

// UnmarshalJSON makes the matroid of a list of a constructor and its arguments.
func (m *made) UnmarshalJSON(text []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("matroid: %w", err)
	}
	var name string
	if len(list) > 0 {
		if err := json.Unmarshal(list[0], &name); err != nil {
			return fmt.Errorf("matroid: the name of a constructor: %w", err)
		}
		list = list[1:]
	}
	call := reflect.ValueOf(constructors[name])
	if !call.IsValid() {
		return fmt.Errorf("matroid: no constructor is called %q", name)
	}
	if want := call.Type().NumIn(); len(list) != want {
		return fmt.Errorf("matroid: %d arguments of %s, want %d", len(list), name, want)
	}
	arguments := make([]reflect.Value, len(list))
	for i, a := range list {
		to := reflect.New(call.Type().In(i))
		if err := json.Unmarshal(a, to.Interface()); err != nil {
			return fmt.Errorf("matroid: argument %d of %s: %w", i, name, err)
		}
		arguments[i] = to.Elem()
	}
	results := call.Call(arguments)
	if err, _ := results[1].Interface().(error); err != nil {
		return err
	}
	*m = *results[0].Interface().(*made)
	return nil
}

// rowsOf copies rows.
func rowsOf[T any](rows [][]T) [][]T {
	list := make([][]T, len(rows))
	for i, r := range rows {
		list[i] = slices.Clone(r)
	}
	return list
}
