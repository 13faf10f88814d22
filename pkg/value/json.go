package value

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"
	"unicode/utf8"
)

// types lists what was registered, by the name that JSON gives.
var types sync.Map

// Register lets Read make values of the types of these examples, wherever a field is of an
// interface type. A program registers the types that it reads.
func Register(examples ...any) {
	for _, x := range examples {
		t := reflect.TypeOf(x)
		types.Store(typeName(t), t)
	}
}

// JSON returns v as JSON. Where a field is of an interface type, and for v itself, the name of the
// type stands beside the fields, as "type". What is not finite is a string, such as "+Inf". Fields
// that are zero are left out.
func JSON(v any) ([]byte, error) {
	tree, err := encode(reflect.ValueOf(v), "value", true)
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(tree, "", "\t")
}

// inner is the key of a value that is no structure, beside its type.
const inner = "value"

// encode returns a value as what package json writes.
func encode(v reflect.Value, path string, named bool) (any, error) {
	if !v.IsValid() {
		return nil, nil
	}
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, nil
		}
		return encode(v.Elem(), path, true)
	}
	var tree any
	if m, ok := marshaller(v); ok {
		text, err := m.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("value: %s: %w", path, err)
		}
		tree = json.RawMessage(text)
	} else {
		switch v.Kind() {
		case reflect.Struct:
			fields := map[string]any{}
			for i := range v.NumField() {
				f := v.Type().Field(i)
				if v.Field(i).IsZero() {
					continue
				}
				if !f.IsExported() {
					return nil, fmt.Errorf("value: %s.%s, of a %v, is set and not exported: a description has exported fields only", path, f.Name, v.Type())
				}
				x, err := encode(v.Field(i), path+"."+f.Name, false)
				if err != nil {
					return nil, err
				}
				fields[f.Name] = x
			}
			if named {
				fields["type"] = typeName(v.Type())
			}
			return fields, nil
		case reflect.Slice, reflect.Array:
			if v.Kind() == reflect.Slice && v.IsNil() {
				break
			}
			list := make([]any, v.Len())
			for i := range list {
				x, err := encode(v.Index(i), path+"["+strconv.Itoa(i)+"]", false)
				if err != nil {
					return nil, err
				}
				list[i] = x
			}
			tree = list
		case reflect.String:
			if tree = v.String(); !utf8.ValidString(v.String()) {
				return nil, fmt.Errorf("value: %s = %.40q, want UTF-8", path, v.String())
			}
		case reflect.Float64, reflect.Float32:
			tree = v.Float()
			if x := v.Float(); x-x != 0 {
				tree = fmt.Sprintf("%+v", x)
			}
		default:
			text, err := number(v, path)
			if err != nil {
				return nil, err
			}
			tree = json.RawMessage(text)
		}
	}
	if named {
		return map[string]any{"type": typeName(v.Type()), inner: tree}, nil
	}
	return tree, nil
}

func marshaller(v reflect.Value) (json.Marshaler, bool) {
	if !v.CanInterface() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, false
	}
	m, ok := v.Interface().(json.Marshaler)
	return m, ok && !inherits[json.Marshaler](v.Type())
}

// Read returns the value of type T that JSON wrote. T may be an interface type. A type that is not
// registered, a field that does not exist and a number out of range are errors.
func Read[T any](text []byte) (T, error) {
	var v T
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return v, fmt.Errorf("value: %w", err)
	}
	if decoder.More() {
		return v, fmt.Errorf("value: more than one value in %d bytes", len(text))
	}
	return v, decodeNamed(reflect.ValueOf(&v).Elem(), tree, "value")
}

// decodeNamed sets v to a tree that names its type.
func decodeNamed(v reflect.Value, tree any, path string) error {
	if tree == nil {
		v.SetZero()
		return nil
	}
	fields, ok := tree.(map[string]any)
	name, named := fields["type"].(string)
	if !ok || !named {
		return fmt.Errorf("value: %s has no type", path)
	}
	t := v.Type()
	if v.Kind() == reflect.Interface {
		known, ok := types.Load(name)
		if !ok {
			return fmt.Errorf("value: %s is a %q, which is not registered: call value.Register", path, name)
		}
		t = known.(reflect.Type)
		if !t.Implements(v.Type()) {
			return fmt.Errorf("value: %s is a %q, want a %v", path, name, v.Type())
		}
	} else if want := typeName(t); name != want {
		return fmt.Errorf("value: %s is a %q, want a %q", path, name, want)
	}
	x := reflect.New(t).Elem()
	var err error
	if within, ok := fields[inner]; ok && (t.Kind() != reflect.Struct || len(fields) == 2) {
		err = decode(x, within, path)
	} else {
		rest := make(map[string]any, len(fields))
		for key, field := range fields {
			if key != "type" {
				rest[key] = field
			}
		}
		err = decode(x, rest, path)
	}
	v.Set(x)
	return err
}

// decode sets v, whose type is known, to a tree.
func decode(v reflect.Value, tree any, path string) error {
	if v.Kind() == reflect.Interface {
		return decodeNamed(v, tree, path)
	}
	target := v
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		target = v.Elem()
	}
	if u, ok := target.Addr().Interface().(json.Unmarshaler); ok && !inherits[json.Unmarshaler](target.Type()) {
		text, err := json.Marshal(tree)
		if err == nil {
			err = u.UnmarshalJSON(text)
		}
		if err != nil {
			return fmt.Errorf("value: %s: %w", path, err)
		}
		return nil
	}
	wrong := func(want string) error { return fmt.Errorf("value: %s = %.40v, want %s", path, tree, want) }
	switch v.Kind() {
	case reflect.Struct:
		fields, ok := tree.(map[string]any)
		if !ok {
			return wrong("the fields of a " + v.Type().String())
		}
		for name, x := range fields {
			f, ok := v.Type().FieldByName(name)
			if !ok || !f.IsExported() || len(f.Index) != 1 {
				return fmt.Errorf("value: %s: a %v has no field %q", path, v.Type(), name)
			}
			if err := decode(v.FieldByIndex(f.Index), x, path+"."+name); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && tree == nil {
			v.SetZero()
			return nil
		}
		list, ok := tree.([]any)
		if !ok || v.Kind() == reflect.Array && len(list) != v.Len() {
			return wrong("a list")
		}
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		}
		for i, x := range list {
			if err := decode(v.Index(i), x, path+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	case reflect.String:
		s, ok := tree.(string)
		if !ok {
			return wrong("a string")
		}
		v.SetString(s)
	case reflect.Bool:
		is, ok := tree.(bool)
		if !ok {
			return wrong("true or false")
		}
		v.SetBool(is)
	case reflect.Float64, reflect.Float32:
		s, _ := tree.(string)
		n, ok := tree.(json.Number)
		if ok {
			s = n.String()
		}
		x, err := strconv.ParseFloat(s, v.Type().Bits())
		if err != nil || !ok && !(math.IsInf(x, 0) || math.IsNaN(x)) {
			return wrong("a number, \"+Inf\", \"-Inf\" or \"NaN\"")
		}
		v.SetFloat(x)
	default:
		n, ok := tree.(json.Number)
		if !ok {
			return wrong("a whole number")
		}
		if v.CanInt() {
			x, err := strconv.ParseInt(n.String(), 10, v.Type().Bits())
			if err != nil {
				return wrong("a whole number in the range of " + v.Type().String())
			}
			v.SetInt(x)
			return nil
		}
		if !v.CanUint() {
			return wrong("nothing: a " + v.Kind().String() + " is not read")
		}
		x, err := strconv.ParseUint(n.String(), 10, v.Type().Bits())
		if err != nil {
			return wrong("a whole number in the range of " + v.Type().String())
		}
		v.SetUint(x)
	}
	return nil
}
