import { describe, expect, test } from 'vitest'
import { createDraw } from '../../src-main/base/draw'
import { renderChat } from '../../src-main/domain/prompts/chat-template'
import { answerTokens, drawAnswerText, layAnswer, promptDraw } from '../../src-main/sim/answer'
import { drawBySchema } from '../../src-main/sim/tool-arguments'

const prompt = (question: string) => renderChat([{ role: 'user', text: question }])
const speak = (question: string, seed: number) => drawAnswerText(promptDraw(prompt(question), seed))

describe('answers', () => {
  test('depend on the prompt and the seed alone', () => {
    expect(speak('Hello?', 1)).toBe(speak('Hello?', 1))
    expect(speak('Hello?', 1)).not.toBe(speak('Hello!', 1))
    expect(speak('Hello?', 1)).not.toBe(speak('Hello?', 2))
  })

  test('are ASCII sentences of about 40 to 160 tokens', () => {
    for (let each = 0; each < 200; each++) {
      const text = speak(`question ${each}`, 1)
      expect(text).toMatch(/^[ -~]+\.$/)
      expect(text.length / 4).toBeGreaterThanOrEqual(answerTokens.least - 1)
      expect(text.length / 4).toBeLessThan(answerTokens.most + 40)
    }
  })

  test.each([
    ['stop', 'nine char', 3, 3, 'nine char'],
    ['stop', 'nine char', 10, 3, 'nine char'],
    ['length', 'nine char', 2, 2, 'nine cha'],
  ] as const)('%s: %j at most %i tokens is %i tokens: %j', (finish, text, most, tokens, cut) => {
    expect(layAnswer(prompt('x'), text, most, 16)).toMatchObject({ finish, tokens, text: cut })
  })

  test('the blocks of a turn and its answer are the first blocks of the next turn', () => {
    const turn = [{ role: 'user', text: 'A question of some length, asked again and again.' }]
    const text = drawAnswerText(createDraw(5))
    const first = layAnswer(renderChat(turn), text, 1_000, 16)
    const followed = [...turn, { role: 'assistant', text }, { role: 'user', text: 'Go on.' }]
    const next = layAnswer(renderChat(followed), 'x', 1, 16)
    expect(first.blocks.length).toBe(Math.floor((first.promptTokens + first.tokens) / 16))
    expect(Array.from(next.blocks).slice(0, first.blocks.length)).toEqual(Array.from(first.blocks))
  })
})

describe('tool arguments', () => {
  const draws = Array.from({ length: 50 }, (_, seed) => createDraw(seed))
  const every = (schema: unknown) => draws.map((draw) => drawBySchema(draw, schema))

  test.each([
    ['enum', { enum: ['celsius', 'kelvin'] }, (value: unknown) => value === 'celsius' || value === 'kelvin'],
    ['const', { const: 7 }, (value: unknown) => value === 7],
    [
      'integer',
      { type: 'integer', minimum: 3, maximum: 5 },
      (value: unknown) => [3, 4, 5].includes(value as number),
    ],
    [
      'open bounds',
      { type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 5 },
      (value: unknown) => value === 4,
    ],
    [
      'multiple',
      { type: 'number', minimum: 1, multipleOf: 0.25 },
      (value: unknown) => (value as number) % 0.25 === 0 && (value as number) >= 1,
    ],
    ['below', { type: 'integer', maximum: -3 }, (value: unknown) => (value as number) <= -3],
    ['boolean', { type: 'boolean' }, (value: unknown) => typeof value === 'boolean'],
    ['null', { type: 'null' }, (value: unknown) => value === null],
    ['nullable', { type: ['null', 'string'] }, (value: unknown) => typeof value === 'string'],
    ['short string', { type: 'string', maxLength: 3 }, (value: unknown) => (value as string).length <= 3],
    ['long string', { type: 'string', minLength: 80 }, (value: unknown) => (value as string).length >= 80],
    [
      'list',
      { type: 'array', items: { type: 'integer' }, minItems: 4 },
      (value: unknown) => Array.isArray(value) && value.length === 4 && value.every(Number.isInteger),
    ],
    [
      'choice',
      { anyOf: [{ type: 'integer' }, { type: 'string' }] },
      (value: unknown) => Number.isInteger(value),
    ],
    ['empty', {}, (value: unknown) => typeof value === 'string'],
  ])('%s', (_, schema, holds) => {
    for (const value of every(schema)) expect(holds(value), JSON.stringify(value)).toBe(true)
  })

  test('every required property is there, of its kind, through references and allOf', () => {
    const schema = {
      type: 'object',
      $defs: { place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
      allOf: [{ properties: { unit: { enum: ['c', 'f'] } }, required: ['unit'] }],
      properties: {
        where: { $ref: '#/$defs/place' },
        days: { type: 'integer', minimum: 1 },
        note: { type: 'string' },
      },
      required: ['where', 'days', 'unlisted'],
    }
    const values = every(schema)
    for (const value of values)
      expect(value).toMatchObject({
        where: { city: expect.any(String) },
        days: expect.any(Number),
        unit: expect.stringMatching(/^[cf]$/),
        unlisted: expect.anything(),
      })
    expect(new Set(values.map((value) => Object.hasOwn(value as object, 'note'))).size).toBe(2)
  })

  test.each([
    ['a schema without end', { $ref: '#' }],
    ['a tree without end', { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }],
    [
      'lists of lists',
      [...Array(12)].reduce((items) => ({ type: 'array', minItems: 4_000, items }), { type: 'integer' }),
    ],
    ['no schema', 'nonsense'],
    ['wrong members', { type: 7, properties: [], required: 'x', minimum: 'y', enum: {} }],
  ])('%s ends, and as JSON', (_, schema) => {
    expect(() => JSON.stringify(drawBySchema(createDraw(1), schema))).not.toThrow()
  })
})
