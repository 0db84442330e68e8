import { describe, expect, test } from 'vitest'
import { sourceFiles } from './files'

const own = sourceFiles('src-main', 'src-renderer')
const tests = sourceFiles('test').filter(({ path }) => !path.startsWith('test/fixtures'))
const offenders = (pattern: RegExp, files = own) =>
  files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

describe('house rules', () => {
  test('no file over 400 lines, and one over 300 says in its first lines why', () => {
    const long = own.filter(({ text }) => text.split('\n').length > 400).map(({ path }) => path)
    expect(long).toEqual([])
  })

  test('no clock and no chance but through a seam', () => {
    const outside = /^src-main\/adapters\/node\//
    const found = offenders(/\b(Math\.random|Date\.now|performance\.now)\(|new Date\(\)/).filter(
      (path) => !outside.test(path),
    )
    expect(found.filter((path) => !path.startsWith('src-renderer/state/clock'))).toEqual([])
  })

  test('no vague file names', () => {
    const vague = /\/(utils?|helpers?|common|misc|manager|service)\.tsx?$/
    expect(own.filter(({ path }) => vague.test(path)).map(({ path }) => path)).toEqual([])
  })

  test('no test is switched off or singled out', () => {
    expect(
      offenders(
        /\b(test|it|describe)\.(only|todo)\(/,
        tests.filter(({ path }) => !path.endsWith('tidy.test.ts')),
      ),
    ).toEqual([])
  })

  test('exported things say what they are', () => {
    const bare = own.flatMap(({ path, text }) => {
      const lines = text.split('\n')
      return lines.flatMap((line, at) => {
        if (!/^export (async )?(function|const|interface|type|class) /.test(line)) return []
        return /(\*\/|^\s*\/\/ .*)\s*$/.test(lines[at - 1] ?? '')
          ? []
          : [`${path}:${at + 1} ${line.slice(0, 60)}`]
      })
    })
    expect(bare).toEqual([])
  })
})
